/// A value for a parameter of a command, with its type; nil is NULL.
///
/// It is sent in PostgreSQL's binary format.
package enum Value: Equatable, Sendable {
    case bigint(Int64?)
    case double(Double?)
    case text(String?)
    case bytes([UInt8]?)
    case boolean(Bool?)
    case bigints([Int64])
    /// Numbers, texts or bytes, all of one type, at least one; each can be NULL.
    case array([Value])
}

/// The object ids of types (<https://www.postgresql.org/docs/current/datatype-oid.html>), which
/// never change.
enum TypeID {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let name: UInt32 = 19
    static let bigint: UInt32 = 20
    static let smallint: UInt32 = 21
    static let integer: UInt32 = 23
    static let text: UInt32 = 25
    static let double: UInt32 = 701
    static let unknown: UInt32 = 705
    static let booleans: UInt32 = 1000
    static let byteStrings: UInt32 = 1001
    static let texts: UInt32 = 1009
    static let bigints: UInt32 = 1016
    static let doubles: UInt32 = 1022
    static let varchar: UInt32 = 1043

    /// Returns the type of an array whose elements have a type.
    static func array(of element: UInt32?) -> UInt32 {
        switch element {
        case boolean: booleans
        case bytes: byteStrings
        case text: texts
        case bigint: bigints
        case double: doubles
        default: unknown
        }
    }
}

extension Value {
    /// The type of the parameter.
    var type: UInt32 {
        switch self {
        case .bigint: TypeID.bigint
        case .double: TypeID.double
        case .text: TypeID.text
        case .bytes: TypeID.bytes
        case .boolean: TypeID.boolean
        case .bigints: TypeID.bigints
        case .array(let elements): TypeID.array(of: elements.first?.type)
        }
    }

    /// Whether it is NULL.
    fileprivate var isNull: Bool {
        switch self {
        case .bigint(let number): number == nil
        case .double(let number): number == nil
        case .text(let text): text == nil
        case .bytes(let bytes): bytes == nil
        case .boolean(let value): value == nil
        case .bigints, .array: false
        }
    }

    /// About the size of the value in the message that carries it.
    var byteCount: Int {
        switch self {
        case .bigint, .double: 12
        case .boolean: 5
        case .text(let text): 4 + (text?.utf8.count ?? 0)
        case .bytes(let bytes): 4 + (bytes?.count ?? 0)
        case .bigints(let numbers): 24 + 12 * numbers.count
        case .array(let elements): elements.reduce(24) { $0 + $1.byteCount }
        }
    }
}

/// The values of one command in the form that libpq takes; reused for the next command.
///
/// Belongs to one thread.
@safe
final class ParameterBuffer {
    private var bytes: [UInt8] = []
    /// Where each value begins; nil for NULL.
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var types: [UInt32] = []
    private var pointers: [UnsafePointer<CChar>?] = unsafe []

    /// The largest buffer that is kept for reuse, in bytes.
    private static let bytesKept = 256 * 1024

    /// The arguments of libpq's functions, valid during a call of `withValues`.
    @unsafe
    struct Arguments {
        let count: Int32
        let types: UnsafePointer<UInt32>?
        let values: UnsafePointer<UnsafePointer<CChar>?>?
        let lengths: UnsafePointer<Int32>?
        let formats: UnsafePointer<Int32>?
    }

    /// Calls `body` with the arguments for these values.
    func withArguments<Result>(_ values: [Value], _ body: (Arguments) -> Result) -> Result {
        fill(values)
        return unsafe bytes.withUnsafeBytes { memory in
            unsafe pointers.removeAll(keepingCapacity: true)
            // A null pointer means NULL, so an empty value needs another one.
            let start = memory.baseAddress
            for offset in offsets {
                guard let start = unsafe start, let offset else {
                    unsafe pointers.append(nil)
                    continue
                }
                let value = unsafe start.advanced(by: offset)
                unsafe pointers.append(value.assumingMemoryBound(to: CChar.self))
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe types.withUnsafeBufferPointer { types in
                            unsafe body(
                                Arguments(
                                    count: Int32(clamping: values.count),
                                    types: types.baseAddress,
                                    values: pointers.baseAddress,
                                    lengths: lengths.baseAddress,
                                    formats: formats.baseAddress
                                )
                            )
                        }
                    }
                }
            }
        }
    }

    private func fill(_ values: [Value]) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.bytesKept)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        // So that the memory always has an address.
        bytes.append(0)
        for value in values {
            let start = bytes.count
            let isNull = !append(value)
            offsets.append(isNull ? nil : start)
            lengths.append(Int32(clamping: bytes.count - start))
            formats.append(1)
            types.append(value.type)
        }
    }

    /// Appends a value in binary format; false if it is NULL.
    private func append(_ value: Value) -> Bool {
        switch value {
        case .bigint(let number):
            guard let number else { return false }
            append(UInt64(bitPattern: number))
        case .double(let number):
            guard let number else { return false }
            append(number.bitPattern)
        case .text(let text):
            guard let text else { return false }
            bytes.append(contentsOf: text.utf8)
        case .bytes(let value):
            guard let value else { return false }
            bytes.append(contentsOf: value)
        case .boolean(let value):
            guard let value else { return false }
            bytes.append(value ? 1 : 0)
        case .bigints(let numbers):
            appendArray(numbers.count, of: TypeID.bigint)
            for number in numbers { appendElement(.bigint(number)) }
        case .array(let elements):
            appendArray(
                elements.count,
                of: elements.first?.type ?? TypeID.unknown,
                hasNull: elements.contains(where: \.isNull)
            )
            for element in elements { appendElement(element) }
        }
        return true
    }

    /// Appends the head of an array with one dimension, as `array_send` writes it.
    private func appendArray(_ count: Int, of type: UInt32, hasNull: Bool = false) {
        append(UInt32(count == 0 ? 0 : 1))
        append(UInt32(hasNull ? 1 : 0))
        append(type)
        guard count > 0 else { return }
        append(UInt32(clamping: count))
        append(UInt32(1))
    }

    /// Appends an element after its length, which is -1 for NULL.
    private func appendElement(_ value: Value) {
        let start = bytes.count
        append(Int32(-1))
        guard append(value) else { return }
        let length = UInt32(clamping: bytes.count - start - 4)
        for position in 0..<4 {
            bytes[start + position] = UInt8(truncatingIfNeeded: length >> (24 - 8 * position))
        }
    }

    private func append(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}
