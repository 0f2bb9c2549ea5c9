import HTTP
import CLinux
import Glibc

/// A connected, non-blocking socket and its peer's address.
struct AcceptedSocket: Sendable {
    let descriptor: Int32
    let address: IPAddress?
}

/// An acceptor of connections that assigns them to event loops in turn.
struct Listener {
    /// The number of connections to accept before the loop continues with other work.
    private static let acceptsAtOnce = 64
    /// The pause in accepting, in ms, when the server or the system is out of capacity.
    static let restMilliseconds = 100
    /// The minimum interval between two notices to the observer, in ms of the loop's clock.
    private static let noticeMilliseconds: Int64 = 10_000
    /// The maximum number of connections over a limit that wait for admission or rejection.
    static let turnedAwayAtOnce = 1024

    let channel: Channel
    let context: LoopContext
    let loops: [EventLoop]
    let openConnections: AddressBudget
    let turnedAway: AddressBudget
    let observer: LoopObserver
    private(set) var turn = 0
    /// The earliest time of the next notice.
    private(set) var nextNotice = Int64.min

    /// Accepts until the loop drains.
    mutating func run() async {
        while !context.isDraining {
            let readiness = await channel.wait(for: .reading, until: .max, isInterruptible: true)
            // A loop that has ended would never serve them.
            guard readiness == .ready, !context.isDraining else { return }
            if acceptWaiting() { continue }
            // A wait for reading would spin, because the pending connection stays ready.
            let end = context.now + Int64(Self.restMilliseconds)
            context.isAcceptingAtRest = true
            _ = await channel.wait(for: .nothing, until: end, isInterruptible: true)
            context.isAcceptingAtRest = false
        }
    }

    /// Accepts pending connections; false if the server or the system is out of capacity.
    private mutating func acceptWaiting() -> Bool {
        for _ in 0..<Self.acceptsAtOnce {
            // New connections wait in the system's queue. Rejecting thousands a second would take
            // time from the clients that are served.
            if openConnections.isFull && turnedAway.isFull { return false }
            if let client = accept() {
                admit(client)
                continue
            }
            switch errno {
            case EAGAIN: return true
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                noteFailure(errno)
                return false
            // The connection has already failed (accept(2)).
            default: continue
            }
        }
        return true
    }

    /// Returns the next pending connection, or nil with `errno` set.
    private func accept() -> AcceptedSocket? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe accept4(channel.descriptor, address, &length, flags)
            }
        }
        if descriptor < 0 { return nil }
        return AcceptedSocket(descriptor: descriptor, address: IPAddress(address))
    }

    private mutating func noteFailure(_ error: Int32) {
        openConnections.noteRefusal(.systemFull)
        guard context.now >= nextNotice else { return }
        nextNotice = context.now + Self.noticeMilliseconds
        observer.acceptDidFail(unsafe String(cString: strerror(error)))
    }

    private mutating func admit(_ client: AcceptedSocket) {
        turn = (turn + 1) % loops.count
        var enabled: Int32 = 1
        unsafe setsockopt(
            client.descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &enabled,
            socklen_t(MemoryLayout<Int32>.size)
        )
        let address = openConnections.client(client.address)
        if (try? openConnections.change(from: 0, to: 1, for: address)) != nil {
            loops[turn].adopt(client)
        } else if (try? turnedAway.change(from: 0, to: 1, for: nil)) != nil {
            loops[turn].adopt(client, countedIn: turnedAway)
        } else {
            // An address with too many connections has filled the waiting room.
            openConnections.noteRefusal(.addressFull)
            close(client.descriptor)
        }
    }
}
