import CLinux
import Glibc
import HTTP
import HTTPServer
import Testing
import System

@Suite struct ServerTests {
    private static func configuration(host: String, port: UInt16) -> ServerConfiguration {
        ServerConfiguration(
            endpoint: .address(host: host, port: port),
            loops: 1,
            limits: .patient,
            service: StubService().service
        )
    }

    @Test func `names the address that it can't listen on`() async throws {
        try await withServer { server in
            let port = server.server.port

            let error = #expect(throws: ServerError.self) {
                try Server(Self.configuration(host: "127.0.0.1", port: port))
            }
            #expect(
                error?.description == "Can't listen on 127.0.0.1:\(port): Address already in use"
            )
        }
    }

    @Test func `names the host that it can't find`() {
        let error = #expect(throws: ServerError.self) {
            try Server(Self.configuration(host: "a b", port: 0))
        }

        #expect(error?.description == "a b: Name or service not known")
    }

    /// In a process of its own: Foundation's `Process` reads beyond the end of its list of the open
    /// descriptors where there are more than some 1,300, which would end the other tests.
    @Test func `serves 2,000 connections at once`() async {
        await #expect(processExitsWith: .success) {
            do {
                try await Self.serveManyConnections()
            } catch {
                // An error that leaves the process ends it by a signal and says nothing.
                Issue.record("\(error)")
            }
        }
    }

    private static func serveManyConnections() async throws {
        var limits = Limits.patient
        limits.connectionsPerAddress = 2000
        try await withServer(loops: 2, limits: limits) { server in
            // The server has raised the limit as far as it goes: two sockets a connection.
            try #require(sysconf(Int32(_SC_OPEN_MAX)) > 4500)
            let clients = try (0..<2000).map { _ in try server.connect() }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for client in clients { #expect(try client.receive() == .ok("GET / ")) }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for client in clients.reversed() { #expect(try client.receive() == .ok("GET / ")) }
        }
    }

    /// In a process of its own, whose descriptors run out.
    @Test func `accepts again once there are descriptors again`() async {
        await #expect(processExitsWith: .success) {
            do {
                try await onThread { try Self.runOutOfDescriptors() }
            } catch {
                // An error that leaves the process ends it by a signal and says nothing.
                Issue.record("\(error)")
            }
        }
    }

    private static func runOutOfDescriptors() throws {
        separateDescriptors()
        let causes = Mutex<[String]>([])
        var observer = LoopObserver()
        observer.acceptDidFail = { cause in causes.withLock { $0.append(cause) } }
        let running = try RunningServer(loops: 1, limits: .patient, observer: observer)
        defer { running.stop() }
        var clients = try (0..<20).map { _ in try Client() }
        limitDescriptors(toFree: 5)
        for client in clients { try client.connect(to: running.server.port) }

        for client in clients.prefix(5) { try expectAnswer(for: client) }
        #expect(clients.allSatisfy { !$0.hasReceived })
        // A loop that tried again whenever it has something to do would fail each time.
        for _ in 0..<1000 { try expectAnswer(for: clients[0]) }
        #expect((1..<1000).contains(running.server.acceptFailureCount))
        #expect(causes.withLock { Set($0) } == ["Too many open files"])
        clients.removeFirst(10)
        for client in clients { try expectAnswer(for: client) }
    }

    /// Gives this thread, and those that it will start, a table of descriptors of their own:
    /// what the rest of the process opens, whenever it does, takes none of the few.
    private static func separateDescriptors() {
        // unshare(2) by another name: containers forbid that one, and this closes nothing.
        #expect(close_range(.max, .max, Int32(CLOSE_RANGE_UNSHARE)) == 0)
    }

    /// Leaves this process so many descriptors to open.
    private static func limitDescriptors(toFree free: Int) {
        let unused = (0 as Int32..<1000).filter { fcntl($0, F_GETFD) == -1 }
        let count = rlim_t(unused[free])
        var limit = rlimit(rlim_cur: count, rlim_max: count)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func expectAnswer(for client: Client) throws {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.receive() == .ok("GET / "))
    }
}
