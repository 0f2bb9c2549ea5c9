import Glibc

/// Two threads that add to one number, with the lock and without it, a write past the end of an
/// allocation, a global with values on the heap, and an allocation that is forgotten: what the
/// sanitizers must keep silent about, and what they must report.
@main
enum Control {
    // The one race that is wanted.
    nonisolated(unsafe) private static var unguarded = 0
    private static let guarded = Mutex(0)

    private indirect enum Tree: Sendable {
        case leaf(Int)
        case branch(Tree, Tree)
    }

    private static let trees = (0..<100).map { Tree.branch(.leaf($0), .leaf($0)) }

    static func main() {
        switch CommandLine.arguments.last {
        case "guarded": onTwoThreads { guarded.withLock { number in number += 1 } }
        case "race": onTwoThreads { unsafe unguarded += 1 }
        case "global": if trees.isEmpty { exit(3) }
        case "leak": for _ in 0..<100 { forget() }
        case "overflow": writePastEnd(of: CommandLine.arguments.count)
        default: exit(2)
        }
    }

    private static func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
        do {
            let threads = try (0..<2).map { _ in try Thread { for _ in 0..<1000 { body() } } }
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
