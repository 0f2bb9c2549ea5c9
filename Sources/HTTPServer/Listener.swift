import CLinux
import Glibc
import HTTP

/// Accepts connections and deals them out to event loops in turn.
final class Listener {
    /// Connections accepted before others on the loop get their turn.
    private static let acceptsAtOnce = 64
    /// How long accepting rests when the system has no descriptor or memory left, in ms.
    private static let restMilliseconds: Int64 = 100
    /// Connections beyond the limit that are told so; others are closed without a word.
    private static let turnedAwayAtOnce = 256

    private let channel: Channel
    private let context: LoopContext
    private let loops: [EventLoop]
    private let openConnections: ConnectionCount
    private let turnedAway = ConnectionCount(limit: turnedAwayAtOnce)
    private var turn = 0

    init(
        channel: Channel,
        context: LoopContext,
        loops: [EventLoop],
        openConnections: ConnectionCount
    ) {
        self.channel = channel
        self.context = context
        self.loops = loops
        self.openConnections = openConnections
    }

    /// Accepts until the loop drains.
    func run() async {
        while !context.isDraining {
            let readiness = await channel.wait(for: .reading, until: .max, isInterruptible: true)
            // Connections for a loop that has ended would never be served.
            guard readiness == .ready, !context.isDraining else { return }
            if acceptWaiting() { continue }
            // Watching on would spin: the connection that could not be accepted stays ready.
            let end = context.now + Self.restMilliseconds
            _ = await channel.wait(for: .nothing, until: end, isInterruptible: true)
        }
    }

    /// Accepts what is waiting; false if the system refused for want of resources.
    private func acceptWaiting() -> Bool {
        for _ in 0..<Self.acceptsAtOnce {
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let socket = accept4(channel.descriptor, nil, nil, flags)
            if socket >= 0 {
                admit(socket)
                continue
            }
            switch errno {
            case EAGAIN: return true
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return false
            // The errors of a connection that is already gone again (accept(2)).
            default: continue
            }
        }
        return true
    }

    private func admit(_ socket: Int32) {
        turn = (turn + 1) % loops.count
        guard openConnections.increment() else { return turnAway(socket) }
        var enabled: Int32 = 1
        unsafe setsockopt(
            socket,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &enabled,
            socklen_t(MemoryLayout<Int32>.size)
        )
        loops[turn].adopt(socket)
    }

    private func turnAway(_ socket: Int32) {
        if turnedAway.increment() {
            loops[turn].turnAway(socket, countedIn: turnedAway)
        } else {
            close(socket)
        }
    }
}
