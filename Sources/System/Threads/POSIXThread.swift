import Glibc

/// A thread of the operating system.
package struct POSIXThread: Sendable {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let handle: pthread_t

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
        self.handle = handle
    }

    /// Waits until the thread has ended.
    ///
    /// Call either this or `detach`, once.
    package func join() {
        _ = pthread_join(handle, nil)
    }

    /// Makes the thread release its resources when it ends.
    package func detach() {
        _ = pthread_detach(handle)
    }
}

/// The error for a thread that could not be started.
package struct ThreadError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
