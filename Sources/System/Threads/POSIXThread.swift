import Glibc

/// A thread of the operating system, which ends by itself after the last reference was released.
package final class POSIXThread: Sendable {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// The handle, unless it was joined or detached.
    private let handle: Mutex<pthread_t?>

    /// Starts a thread that runs `body`; throws if the system can't create one.
    package init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        var handle = pthread_t()
        // Released by the new thread, or below if the thread can't be created.
        let start = unsafe Unmanaged.passRetained(Start(body))
        let code = unsafe pthread_create(
            &handle,
            nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            },
            start.toOpaque()
        )
        if code != 0 {
            unsafe start.release()
            throw ThreadError(
                description: "pthread_create: \(unsafe String(cString: strerror(code)))"
            )
        }
        self.handle = Mutex(handle)
    }

    /// The nice value (sched(7)) of threads that give way.
    private static let niceness: Int32 = 10

    /// Lowers the priority of the calling thread, so that the event loops of apps come first.
    ///
    /// Threads that it starts have the same priority, which can't be raised again.
    package static func giveWay() {
        // 0 is the calling thread (setpriority(2), "C library/kernel differences").
        let which = __priority_which_t(PRIO_PROCESS.rawValue)
        _ = setpriority(which, 0, max(niceness, getpriority(which, 0)))
    }

    deinit { detach() }

    /// Waits until the thread has ended; returns at once if another call does or has done that.
    package func join() {
        if let handle = take() { _ = pthread_join(handle, nil) }
    }

    /// Makes the thread release its resources when it ends, as the last reference does.
    package func detach() {
        if let handle = take() { _ = pthread_detach(handle) }
    }

    private func take() -> pthread_t? {
        handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
    }
}

/// The error for a thread that could not be started.
package struct ThreadError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
