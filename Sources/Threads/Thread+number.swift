import Glibc
import Synchronization

extension Thread {
    /// A number of the calling thread: 0 for the first that asks, 1 for the second, and so on, so
    /// that threads with nearby numbers can be kept apart.
    ///
    /// What is kept by number must stand two threads with one number, which they have where the
    /// system has no place for it.
    package static var number: Int { ThreadNumber.shared.current }
}

/// Gives each thread its number when it first asks.
private final class ThreadNumber: Sendable {
    static let shared = ThreadNumber()

    /// Nil where the process has used up its keys.
    private let key: pthread_key_t?
    private let next = Atomic(0)

    private init() {
        var key = pthread_key_t()
        self.key = unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }

    var current: Int {
        guard let key else { return 0 }
        // The place of a thread holds null until it is filled, so it is filled with one more.
        let kept = unsafe Int(bitPattern: pthread_getspecific(key))
        if kept != 0 { return kept - 1 }
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let code = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: number + 1))
        return code == 0 ? number : 0
    }
}
