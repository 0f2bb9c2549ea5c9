import Dispatch
import System

/// Holds a thread until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    func wait() {
        semaphore.wait()
    }

    /// Waits without holding a thread of the pool.
    func opened() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.wait()
                continuation.resume()
            }
        }
    }
}

/// Runs `body` on a thread that does nothing else, and returns its result.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "test").async {
            continuation.resume(with: Result { try body() })
        }
    }
}

/// Waits on this thread for an asynchronous function.
func wait<T: Sendable>(for body: @escaping @Sendable () async throws -> T) throws -> T {
    let gate = Gate()
    let box = OutcomeBox<T>()
    Task {
        do {
            box.set(.success(try await body()))
        } catch {
            box.set(.failure(error))
        }
        gate.open()
    }
    gate.wait()
    guard let result = box.get() else { throw CancellationError() }
    return try result.get()
}

private final class OutcomeBox<T: Sendable>: Sendable {
    private let outcome = Mutex<Result<T, any Error>?>(nil)

    func set(_ result: Result<T, any Error>) {
        outcome.withLock { $0 = result }
    }

    func get() -> Result<T, any Error>? {
        outcome.withLock { $0 }
    }
}
