import Addresses
import CLinux
import Glibc
import HTTP

/// A connected, non-blocking socket, and where it comes from.
struct AcceptedSocket: Sendable {
    let descriptor: Int32
    let address: IPAddress?
}

/// Accepts connections and deals them out to event loops in turn.
final class Listener {
    /// Connections accepted before others on the loop get their turn.
    private static let acceptsAtOnce = 64
    /// How long accepting rests when there is no room for more, here or in the system, in ms.
    static let restMilliseconds = 100
    /// How often the observer is told that the system has none, in ms of the loop's clock.
    private static let noticeMilliseconds: Int64 = 10_000
    /// Connections beyond a limit that wait for their turn or to be told that there is none.
    static let turnedAwayAtOnce = 1024

    private let channel: Channel
    private let context: LoopContext
    private let loops: [EventLoop]
    private let openConnections: ConnectionCount
    private let turnedAway: ConnectionCount
    private let observer: LoopObserver
    private var turn = 0
    /// When the observer may be told again.
    private var nextNotice = Int64.min

    init(
        channel: Channel,
        context: LoopContext,
        loops: [EventLoop],
        openConnections: ConnectionCount,
        turnedAway: ConnectionCount,
        observer: LoopObserver
    ) {
        self.channel = channel
        self.context = context
        self.loops = loops
        self.openConnections = openConnections
        self.turnedAway = turnedAway
        self.observer = observer
    }

    /// Accepts until the loop drains.
    func run() async {
        while !context.isDraining {
            let readiness = await channel.wait(for: .reading, until: .max, isInterruptible: true)
            // Connections for a loop that has ended would never be served.
            guard readiness == .ready, !context.isDraining else { return }
            if acceptWaiting() { continue }
            // Watching on would spin: the connection that could not be accepted stays ready.
            let end = context.now + Int64(Self.restMilliseconds)
            context.isAcceptingAtRest = true
            _ = await channel.wait(for: .nothing, until: end, isInterruptible: true)
            context.isAcceptingAtRest = false
        }
    }

    /// Accepts what is waiting; false if there is no room for more, here or in the system.
    private func acceptWaiting() -> Bool {
        for _ in 0..<Self.acceptsAtOnce {
            // Whoever comes now waits in the system's queue. To turn thousands away in a second
            // would take the time of those who are served.
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
            // The errors of a connection that is already gone again (accept(2)).
            default: continue
            }
        }
        return true
    }

    /// The next client that waits; nil, with `errno` set, if there is none or it can't be had.
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

    private func noteFailure(_ error: Int32) {
        openConnections.noteAcceptFailure()
        guard context.now >= nextNotice else { return }
        nextNotice = context.now + Self.noticeMilliseconds
        observer.acceptDidFail(unsafe String(cString: strerror(error)))
    }

    private func admit(_ client: AcceptedSocket) {
        turn = (turn + 1) % loops.count
        var enabled: Int32 = 1
        unsafe setsockopt(
            client.descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &enabled,
            socklen_t(MemoryLayout<Int32>.size)
        )
        guard (try? openConnections.increment(client.address)) != nil else {
            return adoptLater(client)
        }
        loops[turn].adopt(client)
    }

    private func adoptLater(_ client: AcceptedSocket) {
        do {
            try turnedAway.increment(nil)
            loops[turn].adoptLater(client, countedIn: turnedAway)
        } catch {
            // An address that has too many connections has filled the room.
            openConnections.noteRefusal(.addressFull)
            close(client.descriptor)
        }
    }
}
