import Glibc

/// Two threads that add to one number, with the lock and without it, and a write past the end of an
/// allocation: what the sanitizers must keep silent about, and what they must report.
@main
enum Control {
    // The one race that is wanted.
    nonisolated(unsafe) private static var unguarded = 0
    private static let guarded = Mutex(0)

    static func main() {
        switch CommandLine.arguments.last {
        case "guarded": onTwoThreads { guarded.withLock { number in number += 1 } }
        case "race": onTwoThreads { unsafe unguarded += 1 }
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

    private static func writePastEnd(of count: Int) {
        let numbers = unsafe UnsafeMutablePointer<Int>.allocate(capacity: count)
        unsafe numbers[count] = count
        print(unsafe numbers[count])
        unsafe numbers.deallocate()
    }
}
