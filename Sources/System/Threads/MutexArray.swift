/// Values with a mutex each, so that threads with different indexes never wait for each other.
///
/// The inline parts of the values don't share cache lines either.
@safe
@usableFromInline
// An InlineArray of mutexes could be checked. But in a debug build, each access to it orders all
// threads for ThreadSanitizer and hides races (Tests/Sanitizers/control).
package struct MutexArray<Value: Sendable>: ~Copyable, Sendable {
    /// The alignment of the values: two cache lines, because a core also fetches the adjacent one.
    @usableFromInline
    static var alignment: Int { 128 }

    @usableFromInline
    let count: Int
    @usableFromInline
    let stride: Int
    // Allocated because mutexes must not move. With an array of objects, every access would count
    // references, which the threads share.
    //
    // Pointers are not Sendable. This one is safe for all threads, because it never changes, and
    // from `init` to `deinit` it points to mutexes, which any thread can use, with Sendable values.
    @usableFromInline
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Creates this many values, at least one.
    package init(count: Int, _ makeValue: () -> Value) {
        self.count = max(1, count)
        let lines = (MemoryLayout<Mutex<Value>>.size + Self.alignment - 1) / Self.alignment
        stride = lines * Self.alignment
        unsafe memory = .allocate(byteCount: self.count * stride, alignment: Self.alignment)
        for index in 0..<self.count {
            unsafe (memory + index * stride)
                .initializeMemory(as: Mutex<Value>.self, to: Mutex(makeValue()))
        }
    }

    deinit {
        for index in 0..<count { unsafe mutex(at: index).deinitialize(count: 1) }
        unsafe memory.deallocate()
    }

    @inlinable
    func mutex(at index: Int) -> UnsafeMutablePointer<Mutex<Value>> {
        unsafe (memory + index * stride).assumingMemoryBound(to: Mutex<Value>.self)
    }

    /// Calls `body` with exclusive access to a value, and returns its result.
    ///
    /// Indexes beyond the last one wrap around.
    @inlinable
    package func withLock<Result: Sendable>(
        at index: Int,
        _ body: (inout Value) -> Result
    ) -> Result {
        let index = Int(UInt(bitPattern: index) % UInt(bitPattern: count))
        return unsafe mutex(at: index).pointee.withLock { value in body(&value) }
    }

    /// Calls `body` with each value in turn.
    package func forEach(_ body: (inout Value) -> Void) {
        for index in 0..<count { withLock(at: index, body) }
    }
}
