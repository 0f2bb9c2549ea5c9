import System

/// A value that another thread makes for a task that waits for it.
@safe
final class Reply<Value: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Value, Never>
    #if THREAD_SANITIZER
    // Swift's executors order the two threads, but the sanitizer sees only this mutex.
    private let order = Mutex(())
    #endif

    private init(_ continuation: UnsafeContinuation<Value, Never>) {
        unsafe self.continuation = continuation
    }

    /// Calls `request` with a reply, and waits until something is sent with it.
    static func value(_ request: (Reply<Value>) -> Void) async -> Value {
        var reply: Reply<Value>?
        let value = await unsafe withUnsafeContinuation { continuation in
            let new = unsafe Reply(continuation)
            reply = new
            request(new)
        }
        reply?.passOrder()
        return value
    }

    /// Gives the task its value; must be called exactly once.
    func send(_ value: Value) {
        passOrder()
        unsafe continuation.resume(returning: value)
    }

    private func passOrder() {
        #if THREAD_SANITIZER
        order.withLock { _ in }
        #endif
    }
}
