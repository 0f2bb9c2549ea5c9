import Glibc

/// A thread of the operating system.
struct Thread: Sendable {
    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let handle: pthread_t

    /// Starts a thread that runs `body`; throws if the system has none left.
    init(_ body: @escaping @Sendable () -> Void) throws(ServerError) {
        var handle = pthread_t()
        // Balanced by the new thread, or below if there is none.
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
            throw ServerError("pthread_create: \(unsafe String(cString: strerror(code)))")
        }
        self.handle = handle
    }

    /// Waits until the thread has ended; to be called once.
    func join() {
        pthread_join(handle, nil)
    }
}
