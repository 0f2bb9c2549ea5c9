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
    init(_ body: @escaping @Sendable () -> Void) throws(SQLiteError) {
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
            throw SQLiteError(code: .outOfMemory, message: "no thread can be started")
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    ///
    /// Either this or `detach` is to be called, once.
    func join() {
        _ = pthread_join(handle, nil)
    }

    /// Lets the thread end by itself.
    func detach() {
        _ = pthread_detach(handle)
    }
}
