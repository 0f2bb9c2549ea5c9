/// A growing byte buffer with minimal work for each append.
///
/// A JSON response consists of about a hundred small pieces. The checks of an array for each of
/// them took half of the time.
@safe
struct ByteBuffer: ~Copyable {
    // The start of `capacity` bytes, of which the first `count` are initialised. No other reference
    // exists, and only deinit deallocates it.
    private var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
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

    /// Appends the bytes to `output`.
    func append(to output: inout [UInt8]) {
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }

    /// Reserves space for `needed` more bytes.
    @inline(__always)
    mutating func reserve(_ needed: Int) {
        if capacity - count < needed { grow(by: needed) }
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        appendReserved(byte)
    }

    /// Appends the UTF-8 of `text`; O(n).
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        // The length of a static string is correct, and it never moves.
        unsafe copy(text.utf8Start, length)
    }

    /// Appends the name of a member with its quotes, colon and comma.
    mutating func append(key: StaticString, needsComma: Bool) {
        let length = key.utf8CodeUnitCount
        reserve(length &+ 4)
        if needsComma { appendReserved(UInt8(ascii: ",")) }
        appendReserved(UInt8(ascii: "\""))
        // The length of a static string is correct, and it never moves.
        unsafe copy(key.utf8Start, length)
        appendReserved(UInt8(ascii: "\""))
        appendReserved(UInt8(ascii: ":"))
    }

    /// Appends a byte for which space is reserved.
    @inline(__always)
    private mutating func appendReserved(_ byte: UInt8) {
        unsafe start[count] = byte
        count &+= 1
    }

    /// Appends a copy of a span's bytes; O(n).
    mutating func append(copying bytes: Span<UInt8>) {
        reserve(bytes.count)
        // The pointer does not outlive the call.
        unsafe bytes.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { unsafe copy(first, source.count) }
        }
    }

    /// Appends the output of `write`, at most `length` bytes.
    mutating func append(upTo length: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        reserve(length)
        // The free part belongs to the span until it is finalised.
        let free = unsafe UnsafeMutableBufferPointer(start: start + count, count: length)
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        write(&output)
        count += unsafe output.finalize(for: free)
    }

    /// Removes the last byte, if there is one.
    mutating func removeLast() {
        count = max(0, count - 1)
    }

    /// Copies bytes for which space is reserved.
    ///
    /// Short pieces, such as keys, are copied as two words that may overlap.
    @inline(__always)
    private mutating func copy(_ source: UnsafePointer<UInt8>, _ length: Int) {
        switch length {
        case 8...16: unsafe copyEnds(source, length, as: UInt64.self)
        case 4..<8: unsafe copyEnds(source, length, as: UInt32.self)
        case 2..<4: unsafe copyEnds(source, length, as: UInt16.self)
        default: unsafe (start + count).update(from: source, count: length)
        }
        count &+= length
    }

    /// Copies the first and last bytes of a piece of at most twice the size of `Word`.
    @inline(__always)
    private func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
        _ source: UnsafePointer<UInt8>,
        _ length: Int,
        as: Word.Type
    ) {
        let source = unsafe UnsafeRawPointer(source)
        let target = unsafe UnsafeMutableRawPointer(start + count)
        let last = length &- MemoryLayout<Word>.size
        let head = unsafe source.loadUnaligned(as: Word.self)
        let tail = unsafe source.loadUnaligned(fromByteOffset: last, as: Word.self)
        unsafe target.storeBytes(of: head, as: Word.self)
        unsafe target.storeBytes(of: tail, toByteOffset: last, as: Word.self)
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
