import Glibc
import Synchronization

extension POSIXThread {
    /// The number of the calling thread: 0 for the first thread that reads it, 1 for the second,
    /// and so on.
    ///
    /// Two threads can have the same number if the system has no thread-specific storage left, so
    /// users must allow for that.
    package static var number: Int { ThreadNumber.shared.current }
}

/// The assignment of numbers to threads on first use.
private final class ThreadNumber: Sendable {
    static let shared = ThreadNumber()

    /// The key, or nil if the process has no keys left.
    private let key: pthread_key_t?
    private let next = Atomic(0)

    private init() {
        var key = pthread_key_t()
        self.key = unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }

    var current: Int {
        guard let key else { return 0 }
        // Null means unset, so the stored value is the number plus one.
        let kept = unsafe Int(bitPattern: pthread_getspecific(key))
        if kept != 0 { return kept - 1 }
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let code = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: number + 1))
        return code == 0 ? number : 0
    }
}
