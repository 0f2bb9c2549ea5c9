import Foundation
import HumonClient
import Testing

/// Each operation behind a proxy that makes requests fail.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    /// Performs an operation whose first requests fail; returns its error, and what is then stored.
    private static func perform(
        _ operation: Operation,
        _ faults: [String],
        by proxy: FaultProxy,
        timeout: Duration = .seconds(60)
    ) async throws -> (error: HumonError?, records: [String], log: FaultProxy.Log) {
        let scene = try await Scene()
        let call = try await operation.prepare(scene)
        let humon = scene.server.client(at: proxy.url, timeout: timeout, tokens: scene.tokens)
        try await proxy.fail(faults)
        let error = try await error { try await call(humon) }
        return (error, try await scene.records(), try await proxy.log())
    }

    /// Returns what is stored after an operation without faults.
    private static func expected(
        _ operation: Operation,
        by proxy: FaultProxy
    ) async throws -> [String] {
        let (error, records, log) = try await perform(operation, [], by: proxy)
        try #require(error == nil)
        let last = try #require(log.requests.last)
        let pattern = operation.path.split(separator: "/")
        let parts = last.target.prefix { $0 != "?" }.split(separator: "/")
        #expect(last.method == operation.method)
        #expect(parts.count == pattern.count)
        #expect(zip(pattern, parts).allSatisfy { $0 == $1 || $0 == "{id}" })
        // Every request has the token, but not that of a sign-up, which makes it.
        #expect((last.headers["tb-auth-token"] == nil) == (operation.name == "session.signUp"))
        return records
    }

    @Test(arguments: Operation.all)
    func `repeats what does no harm, and writes once`(operation: Operation) async throws {
        let proxy = try FaultProxy(before: Server.shared.get())
        let records = try await Self.expected(operation, by: proxy)
        for fault in ["drop-before", "drop-after", "503 0", "429 1", "cut 9", "408"] {
            let result = try await Self.perform(operation, [fault], by: proxy)
            let status = fault.split(separator: " ").first.flatMap { Int($0) }

            #expect(result.log.other.isEmpty)
            if operation.isSentOnce {
                #expect(result.log.requests.count == 1, "\(fault)")
                let kinds: [Int: HumonError.Kind] = [
                    503: .unavailable, 429: .rateLimited, 408: .timeout,
                ]
                #expect(result.error?.kind == status.map { kinds[$0] } ?? .network, "\(fault)")
            } else {
                #expect(result.error == nil, "\(fault)")
                #expect(result.log.requests.count >= 2, "\(fault)")
                #expect(result.records == records, "\(fault)")
            }
        }
    }

    @Test(arguments: Operation.all)
    func `follows no redirect, and takes no other page for success`(
        operation: Operation
    ) async throws {
        let proxy = try FaultProxy(before: Server.shared.get())
        let kinds: [(String, HumonError.Kind)] = [
            ("redirect", .redirected), ("html", .decoding), ("empty", .decoding), ("500", .server),
        ]
        for (fault, kind) in kinds {
            let result = try await Self.perform(operation, [fault], by: proxy)

            #expect(result.error?.kind == kind, "\(fault)")
            #expect(result.log.requests.count == 1, "\(fault)")
            #expect(result.log.other.isEmpty, "\(fault)")
            #expect(result.records != ["signed out"])
        }
    }

    @Test(arguments: Operation.all)
    func `ends in time, and with its task`(operation: Operation) async throws {
        let proxy = try FaultProxy(before: Server.shared.get())
        let stalls = Array(repeating: "trickle-stall 20", count: 9)
        let stalled = try await Self.perform(operation, stalls, by: proxy, timeout: .seconds(1))

        #expect(stalled.error?.kind == .timeout)

        let scene = try await Scene()
        let call = try await operation.prepare(scene)
        let humon = scene.server.client(at: proxy.url, tokens: scene.tokens)
        try await proxy.fail(["trickle-stall 0"])
        let task = Task { try await error { try await call(humon) } }
        while try await proxy.log().requests.isEmpty {}
        task.cancel()
        #expect(try await task.value?.kind == .cancelled)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await error { try await call(humon) }
        }
        #expect(try await early.value?.kind == .cancelled)
        #expect(try await proxy.log().requests.count == 1)
    }

    @Test func `repeats three times, and never beyond the timeout`() async throws {
        let events = try #require(Operation.all.first { $0.name == "events.page" })
        let proxy = try FaultProxy(before: Server.shared.get())
        let busy = Array(repeating: "503 0", count: 9)
        let four = try await Self.perform(events, busy, by: proxy)
        let late = try await Self.perform(events, ["503 60"], by: proxy)
        let drops = Array(repeating: "drop-before", count: 9)
        let lost = try await Self.perform(events, drops, by: proxy)

        #expect(four.error?.kind == .unavailable)
        #expect(four.error?.retryAfter == .zero)
        #expect(four.log.requests.count == 4)
        #expect(late.error?.retryAfter == .seconds(60))
        #expect(late.log.requests.count == 1)
        #expect(lost.error?.kind == .network)
        #expect(lost.log.requests.count == 4)
    }

    @Test func `takes no part of a page for the page`() async throws {
        let scene = try await Scene()
        let proxy = try FaultProxy(before: scene.server)
        for number in 0..<20 { _ = try await scene.ana.events.create(.ghent("\(number)")) }
        let once = scene.server.client(at: proxy.url, retry: .never, tokens: scene.tokens)
        let humon = scene.server.client(at: proxy.url, tokens: scene.tokens)

        // Beyond the head: curl takes half a head for all of one, and Foundation stops the program.
        for count in [800, 1_500, 3_000] {
            try await proxy.fail(["cut \(count)", "cut \(count)"])
            let error = try await error { _ = try await once.events.page(.owner(.me)) }
            let page = try await humon.events.page(.owner(.me))

            #expect(error?.kind == .network)
            #expect(page.events.count == 20)
            #expect(try await proxy.log().requests.count == 3)
        }
    }

    @Test func `sends one key for all attempts, and another for the next call`() async throws {
        let scene = try await Scene()
        let proxy = try FaultProxy(before: scene.server)
        let humon = scene.server.client(at: proxy.url, tokens: scene.tokens)

        try await proxy.fail(["drop-after", "drop-after"])
        let one = try await humon.events.create(.ghent())
        let other = try await humon.events.create(.ghent())
        let keys = try await proxy.log().requests.map { $0.headers["idempotency-key"] }

        #expect(keys.count == 4)
        #expect(Set(keys).count == 2 && Set(keys.prefix(3)).count == 1 && !keys.contains(nil))
        #expect(other > one)
        #expect(try await scene.ana.users.me().events == 2)
    }

    @Test func `makes one user and one device, even if each response is lost`() async throws {
        let scene = try await Scene()
        let proxy = try FaultProxy(before: scene.server)
        let idToken = try scene.idToken(ofStranger: true)
        // A new client each time, because curl repeats what is lost on a connection that it has
        // used before, and Foundation has no body for it.
        func client(_ tokens: SharedTokenStore) async throws -> HumonClient {
            try await proxy.fail(["drop-after"])
            return scene.server.client(at: proxy.url, retry: .never, tokens: tokens)
        }
        let (one, other) = (SharedTokenStore(), SharedTokenStore())

        var humon = try await client(one)
        #expect(try await error { try await humon.session.signUp() }?.kind == .network)
        let user = try await humon.session.signUp()
        humon = try await client(one)
        let lost = try await error { try await humon.session.signIn(idToken: idToken) }
        let linked = try await humon.session.signIn(idToken: idToken)
        let second = try await client(other)
        let lostToo = try await error { try await second.session.signIn(idToken: idToken) }
        let signIn = try await second.session.signIn(idToken: idToken)

        #expect(lost?.kind == .network && lostToo?.kind == .network)
        #expect(linked.userID == user.id && signIn.userID == user.id)
        #expect(try await humon.users.devices().count == 2)
    }

    @Test func `writes once under random faults`() async throws {
        let scene = try await Scene()
        let proxy = try FaultProxy(before: scene.server)
        // Not all of the proxy's, because half a head stops programs that use Foundation.
        let kinds = [
            "pass", "pass", "pass", "pass", "drop-before", "drop-after", "delay 20",
            "delay-after 20",
            "double", "trickle", "429 0", "503 0", "408", "500", "502", "504", "html", "empty",
            "redirect", "close-idle",
        ]
        let faults = try (0..<150).map { _ in try #require(kinds.randomElement()) }
        let humon = scene.server.client(at: proxy.url, timeout: .seconds(9), tokens: scene.tokens)
        try await proxy.fail(faults)

        let created = await withTaskGroup(of: (String, Event.ID?).self) { group in
            for number in 0..<100 {
                group.addTask { ("\(number)", try? await humon.events.create(.ghent("\(number)"))) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var stored: [String: [Event.ID]] = [:]
        for try await event in scene.ana.events.search(.owner(.me)) {
            stored[event.name, default: []].append(event.id)
        }

        for (name, id) in created { #expect(stored[name] == [id], "\(faults)") }
        #expect(stored.values.allSatisfy { $0.count == 1 }, "\(faults)")
        #expect(created.count > 50)
        #expect(try await proxy.log().other.isEmpty)
    }
}
