import Glibc

/// Two threads that add to one number, with the lock, without it and with different locks, a write
/// past the end of an allocation, a global with values on the heap, and an allocation that is
/// forgotten: what the sanitizers must keep silent about, and what they must report.
@main
enum Control {
    // The one race that is wanted.
    nonisolated(unsafe) private static var unguarded = 0
    private static let guarded = Mutex(0)

    // Not global: the runtime orders those who reach for one global.
    private final class Locks: Sendable {
        let first = Mutex(0)
        let second = Mutex(0)
    }

    private indirect enum Tree: Sendable {
        case leaf(Int)
        case branch(Tree, Tree)
    }

    private static let trees = (0..<100).map { Tree.branch(.leaf($0), .leaf($0)) }

    static func main() {
        switch CommandLine.arguments.last {
        case "guarded": onTwoThreads { guarded.withLock { number in number += 1 } }
        case "locks":
            let locks = Locks()
            inTurn({ locks.first.withLock { $0 += 1 } }, { locks.second.withLock { $0 += 1 } })
        case "race": onTwoThreads { unsafe unguarded += 1 }
        case "global": if trees.isEmpty { exit(3) }
        case "leak": for _ in 0..<100 { forget() }
        case "overflow": writePastEnd(of: CommandLine.arguments.count)
        default: exit(2)
        }
    }

    private static func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
        do {
            let threads = try (0..<2).map { _ in try POSIXThread { for _ in 0..<1000 { body() } } }
            for thread in threads { thread.join() }
        } catch {
            exit(2)
        }
    }

    /// Lets two threads add to one number, the second well after the first, and take different
    /// locks in between.
    ///
    /// Were one ordered after the other by that, the race would be hidden. They must not wait for
    /// each other in any other way, so that there is nothing but to sleep.
    private static func inTurn(
        _ lockFirst: @escaping @Sendable () -> Void,
        _ lockSecond: @escaping @Sendable () -> Void
    ) {
        lockFirst()
        lockSecond()
        do {
            let threads = [
                try POSIXThread {
                    unsafe unguarded += 1
                    lockFirst()
                },
                try POSIXThread {
                    usleep(200_000)
                    lockSecond()
                    unsafe unguarded += 1
                },
            ]
            for thread in threads { thread.join() }
        } catch {
            exit(2)
        }
    }

    private static func forget() {
        unsafe UnsafeMutablePointer<Int>.allocate(capacity: 100).initialize(to: 1)
    }

    private static func writePastEnd(of count: Int) {
        let numbers = UnsafeMutablePointer<Int>.allocate(capacity: count)
        unsafe numbers[count] = count
        print(unsafe numbers[count])
        unsafe numbers.deallocate()
    }
}
