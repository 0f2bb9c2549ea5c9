/// Bytes that grow at their end, with as little work for each append as is possible.
///
/// An array does the same and was here first; but a JSON answer is a hundred small pieces, and
/// what an array checks for each of them made up half of the time of writing it.
@safe
struct ByteBuffer: ~Copyable {
    // The start of `capacity` bytes of which the first `count` are initialized; nobody else has
    // it, and it is given back in deinit alone.
    private var start: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        unsafe start = .allocate(capacity: self.capacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    /// A copy of the bytes.
    var array: [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    /// Makes room for `needed` bytes more.
    @inline(__always)
    mutating func reserve(_ needed: Int) {
        if capacity - count < needed { grow(by: needed) }
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe start[count] = byte
        count += 1
    }

    /// Appends the UTF-8 of `text`, in O(n).
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        // A static string has as many bytes as it says, and never moves.
        unsafe copy(text.utf8Start, length)
    }

    /// Appends a copy of the bytes of a span, in O(n).
    mutating func append(copying bytes: Span<UInt8>) {
        reserve(bytes.count)
        // The pointer does not outlive the call.
        unsafe bytes.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { unsafe copy(first, source.count) }
        }
    }

    /// Appends what `write` writes, at most `length` bytes.
    mutating func append(upTo length: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        reserve(length)
        // The free part belongs to the span until it is finalized.
        let free = unsafe UnsafeMutableBufferPointer(start: start + count, count: length)
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        write(&output)
        count += unsafe output.finalize(for: free)
    }

    /// Copies bytes for which there is room.
    ///
    /// Pieces of 8 to 16 bytes, such as most keys, are two words that may overlap.
    @inline(__always)
    private mutating func copy(_ source: UnsafePointer<UInt8>, _ length: Int) {
        let target = unsafe UnsafeMutableRawPointer(start + count)
        if length >= 8 && length <= 16 {
            let raw = unsafe UnsafeRawPointer(source)
            let head = unsafe raw.loadUnaligned(as: UInt64.self)
            let tail = unsafe raw.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
            unsafe target.storeBytes(of: head, as: UInt64.self)
            unsafe target.storeBytes(of: tail, toByteOffset: length - 8, as: UInt64.self)
        } else {
            unsafe target.copyMemory(from: source, byteCount: length)
        }
        count += length
    }

    @inline(never)
    private mutating func grow(by needed: Int) {
        let larger = max(capacity * 2, count + needed)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe new.moveInitialize(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = new
        capacity = larger
    }
}
