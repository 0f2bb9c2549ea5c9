import Glibc

/// The tasks on a loop's thread that wait until the loop has looked at its descriptors again.
///
/// After each wait of the loop, the task that began first continues. So tasks end one after the
/// other, and the others don't grow meanwhile. Belongs to its loop's thread.
@safe
final class PausedTasks: DescriptorWatcher {
    /// Readable while a task waits.
    private let wakeUp: WakeUp
    /// The tasks in the order of the times at which they began.
    private var tasks: [(began: Int64, task: UnsafeContinuation<Void, Never>)] = unsafe []

    /// The number of tasks that wait.
    var count: Int { unsafe tasks.count }

    /// Creates the tasks of a loop with these descriptors; nil if the system has none left.
    init?(_ descriptors: WatchedDescriptors) {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        guard descriptors.watch(wakeUp.descriptor, for: .reading, self) else { return nil }
    }

    deinit {
        close(wakeUp.descriptor)
    }

    func add(_ task: UnsafeContinuation<Void, Never>, since began: Int64) {
        if unsafe tasks.isEmpty { wakeUp.signal() }
        let index = unsafe tasks.firstIndex { unsafe $0.began > began } ?? tasks.endIndex
        unsafe tasks.insert((began, task), at: index)
    }

    func descriptorIsReady(_ descriptor: Int32) {
        let first = unsafe tasks.isEmpty ? nil : tasks.removeFirst()
        if unsafe tasks.isEmpty { wakeUp.clear() }
        unsafe first?.task.resume()
    }
}

extension WatchedDescriptors {
    /// Suspends the calling task until its loop has looked at its descriptors, so that the requests
    /// that have arrived are served first.
    ///
    /// A task with more than about a ms of work calls it between the pieces, with the time at which
    /// it began, in any unit. On a thread without a loop, it only yields to other tasks.
    package static func pause(since began: Int64) async {
        guard let paused = current?.pausedTasks else { return await Task.yield() }
        await unsafe withUnsafeContinuation { task in unsafe paused.add(task, since: began) }
    }
}
