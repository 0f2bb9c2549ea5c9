import Foundation
import Glibc
import System

/// A proxy before a server of PostgreSQL that cuts or stalls a connection between two messages.
package final class FaultProxy: Sendable {
    package enum Direction: Sendable, CaseIterable {
        case toServer, toClient
    }

    /// What happens instead of the message that it applies to.
    package enum Fault: Sendable {
        /// The connection ends.
        case cut
        /// The connection stays open, and nothing passes until the proxy ends.
        case stall
    }

    /// What happens to the parameter `options` of connections.
    package enum Options: Sendable, CaseIterable {
        case passed
        /// The connection is rejected, as by pgbouncer.
        case rejected
        /// The server doesn't see it, as behind pgbouncer with `ignore_startup_parameters`.
        case ignored
    }

    private struct Trap {
        let direction: Direction
        var remaining: Int
        let fault: Fault
    }

    private struct State {
        var trap: Trap?
        var descriptors: Set<Int32> = []
        var accepted = 0
        var isSilent = false
        var isClosed = false
    }

    /// The folder with the proxy's socket.
    package let folder: String
    private let target: String
    private let listener: Int32
    private let options: Options
    private let state = Mutex(State())

    /// Starts to accept connections.
    package init(to server: ThrowawayPostgreSQL, options: Options = .passed) throws {
        self.options = options
        folder = "/tmp/humon-proxy-\(UUID().uuidString.prefix(8))"
        target = server.folder + "/.s.PGSQL.\(server.port)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        listener = Self.makeSocket()
        let name = folder + "/.s.PGSQL.\(server.port)"
        guard unsafe Self.withAddress(name, { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 64) == 0
        else { throw StartFailure("The proxy can't listen: \(errno)") }
        let thread = try POSIXThread { [weak self, listener] in
            while true {
                let client = accept4(listener)
                guard client >= 0, let proxy = self else { return }
                proxy.serve(client)
            }
        }
        thread.detach()
    }

    /// Ends all connections.
    package func close() {
        let descriptors = state.withLock { state in
            state.isClosed = true
            return state.descriptors
        }
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The text of a URL of this database through the proxy.
    package func urlText(of database: String) -> String {
        "postgres:///\(database)?host=\(folder)&user=humon"
    }

    /// The number of connections that it has accepted.
    package var accepted: Int { state.withLock { $0.accepted } }

    /// Makes new connections wait forever, as if the machine of the server had no power.
    package func fallSilent() { state.withLock { $0.isSilent = true } }

    /// Applies a fault once, after this number of further messages in this direction.
    package func arm(_ fault: Fault, _ direction: Direction, after count: Int) {
        state.withLock { state in
            state.trap = Trap(direction: direction, remaining: count, fault: fault)
        }
    }

    /// Removes a fault; returns whether it had not been applied.
    @discardableResult
    package func disarm() -> Bool {
        state.withLock { state in
            defer { state.trap = nil }
            return state.trap != nil
        }
    }

    private func serve(_ client: Int32) {
        let isSilent = state.withLock { state in
            state.accepted += 1
            if state.isSilent { state.descriptors.insert(client) }
            return state.isSilent
        }
        if isSilent { return }
        let server = Self.makeSocket()
        guard unsafe Self.withAddress(target, { unsafe connect(server, $0, $1) }) == 0 else {
            Glibc.close(client)
            Glibc.close(server)
            return
        }
        let isClosed = state.withLock { state in
            state.descriptors.formUnion([client, server])
            return state.isClosed
        }
        let pair = Pair(client: client, server: server) { [weak self] in
            self?.state.withLock { $0.descriptors.subtract([client, server]) }
        }
        if isClosed { pair.cut() }
        for direction in Direction.allCases {
            let thread = try? POSIXThread { [weak self] in
                self?.forward(pair, direction)
                pair.end()
            }
            if let thread { thread.detach() } else { pair.end() }
        }
    }

    /// Forwards messages until the connection ends.
    private func forward(_ pair: Pair, _ direction: Direction) {
        let (source, destination) =
            direction == .toServer ? (pair.client, pair.server) : (pair.server, pair.client)
        // A client's first message has no type.
        var hasType = direction == .toClient
        while var message = Self.readMessage(from: source, hasType: hasType) {
            if !hasType, options != .passed, let range = Self.options(in: message) {
                guard options == .ignored else {
                    _ = Self.write(Self.rejection, to: source)
                    return pair.cut()
                }
                for index in range { message[index] = UInt8(ascii: " ") }
            }
            hasType = true
            switch takeFault(direction) {
            case .cut: return pair.cut()
            case .stall:
                // Until the client gives up.
                pair.stall(source)
                return pair.cut()
            case nil:
                guard !pair.isStalled else { continue }
                guard Self.write(message, to: destination) else { return pair.cut() }
            }
        }
        pair.cut()
    }

    /// The position of the value of `options` in a client's first message; nil without it.
    private static func options(in message: [UInt8]) -> Range<Int>? {
        let words = message.split(separator: 0)
        guard let index = words.firstIndex(where: { $0.elementsEqual("options".utf8) }),
            words.indices.contains(index + 1)
        else { return nil }
        return words[index + 1].startIndex..<words[index + 1].endIndex
    }

    /// An error of the protocol: severity, code and message (ErrorResponse).
    private static let rejection: [UInt8] = {
        var body: [UInt8] = []
        for field in ["SFATAL", "C08P01", "Munsupported startup parameter: options"] {
            body += Array(field.utf8) + [0]
        }
        body.append(0)
        // All of it is shorter than 256 bytes.
        return [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body
    }()

    private func takeFault(_ direction: Direction) -> Fault? {
        state.withLock { state in
            guard let trap = state.trap, trap.direction == direction else { return nil }
            if trap.remaining == 0 {
                state.trap = nil
                return trap.fault
            }
            state.trap?.remaining -= 1
            return nil
        }
    }

    private static func readMessage(from descriptor: Int32, hasType: Bool) -> [UInt8]? {
        let headCount = hasType ? 5 : 4
        guard let head = read(headCount, from: descriptor) else { return nil }
        let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, let body = read(length - 4, from: descriptor) else { return nil }
        return head + body
    }

    private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: done), count - done)
            }
            if result <= 0 { return nil }
            done += result
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if result <= 0 { return false }
            done += result
        }
        return true
    }

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            unsafe buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

private func accept4(_ listener: Int32) -> Int32 {
    let descriptor = accept(listener, nil, nil)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
}

/// The two sockets of a connection, which are closed when both directions have ended.
private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    private let state = Mutex((ended: 0, isStalled: false))
    private let didEnd: @Sendable () -> Void

    init(client: Int32, server: Int32, didEnd: @escaping @Sendable () -> Void) {
        self.client = client
        self.server = server
        self.didEnd = didEnd
    }

    var isStalled: Bool { state.withLock { $0.isStalled } }

    /// Ends the connection for both sides.
    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// Drops everything until a side closes the connection.
    func stall(_ source: Int32) {
        state.withLock { $0.isStalled = true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while unsafe read(source, &buffer, buffer.count) > 0 {}
    }

    func end() {
        let isLast = state.withLock { state in
            state.ended += 1
            return state.ended == 2
        }
        guard isLast else { return }
        didEnd()
        Glibc.close(client)
        Glibc.close(server)
    }
}
