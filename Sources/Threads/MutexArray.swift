/// Values of one kind, each behind a mutex of its own, so that threads which use different ones
/// never wait for each other: not for a lock, and for what a value holds inline not for a line of a
/// core's cache either.
@safe
@usableFromInline
// Sendable without the compiler's check, because a pointer is not: this one never changes, all that
// it points to from `init` to `deinit` is mutexes, which are for any thread, and each of their
// values is Sendable. An InlineArray of mutexes could be checked; but in a debug build each access
// to it orders all threads for ThreadSanitizer, and hides races (Tests/Sanitizers/control).
package struct MutexArray<Value: Sendable>: ~Copyable, @unchecked Sendable {  // Mutexes.
    /// Bytes that no two values share: two lines, because a core fetches the neighbour of a line,
    /// too.
    @usableFromInline
    static var alignment: Int { 128 }

    @usableFromInline
    let count: Int
    @usableFromInline
    let stride: Int
    // Allocated, because mutexes must not move, and an array of objects would be counted by every
    // thread that looks at one.
    @usableFromInline
    let memory: UnsafeMutableRawPointer

    /// So many values, at least one.
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

    /// Calls `body` with a value while no one else has it, and returns what it returns; an index
    /// beyond the last stands for one of the others.
    @inlinable
    package func withLock<Result: Sendable>(
        at index: Int,
        _ body: (inout Value) -> Result
    ) -> Result {
        let index = Int(UInt(bitPattern: index) % UInt(bitPattern: count))
        return unsafe mutex(at: index).pointee.withLock { value in body(&value) }
    }

    /// Calls `body` with every value in turn.
    package func forEach(_ body: (inout Value) -> Void) {
        for index in 0..<count { withLock(at: index, body) }
    }
}
