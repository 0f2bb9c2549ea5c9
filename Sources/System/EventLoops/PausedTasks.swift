import Glibc

/// The tasks on a loop's thread that wait until the loop has looked at its descriptors again.
///
/// After each wait of the loop, the task that has paused longest continues. Belongs to its loop's
/// thread.
@safe
final class PausedTasks: DescriptorWatcher {
    /// Readable while a task waits.
    private let wakeUp: WakeUp
    private var tasks: [UnsafeContinuation<Void, Never>] = unsafe []

    /// Creates the tasks of a loop with these descriptors; nil if the system has none left.
    init?(_ descriptors: WatchedDescriptors) {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        guard descriptors.watch(wakeUp.descriptor, for: .reading, self) else { return nil }
    }

    deinit {
        close(wakeUp.descriptor)
    }

    func add(_ task: UnsafeContinuation<Void, Never>) {
        if unsafe tasks.isEmpty { wakeUp.signal() }
        unsafe tasks.append(task)
    }

    func descriptorIsReady(_ descriptor: Int32) {
        let task = unsafe tasks.isEmpty ? nil : tasks.removeFirst()
        if unsafe tasks.isEmpty { wakeUp.clear() }
        unsafe task?.resume()
    }
}

extension WatchedDescriptors {
    /// Suspends the calling task until its loop has looked at its descriptors, so that the requests
    /// that have arrived are served first.
    ///
    /// A task with more than about a ms of work calls it between the pieces. On a thread without a
    /// loop, it only yields to other tasks.
    package static func pause() async {
        guard let paused = current?.pausedTasks else { return await Task.yield() }
        await unsafe withUnsafeContinuation { task in unsafe paused.add(task) }
    }
}
