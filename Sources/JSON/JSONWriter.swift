import Bytes

/// Writes JSON into bytes, in the order of the calls and without white space.
///
/// A view reads like a table of its keys:
///
///     writer.object {
///         $0.field("id", task.id)
///         $0.object("owner") { $0.field("id", task.ownerID) }
///     }
///
/// The writer adds the commas. The caller must write one value for each key, and one value in
/// total.
package struct JSONWriter: ~Copyable {
    /// The UTF-8 text so far.
    package private(set) var bytes: [UInt8] = []
    /// Whether another value precedes the next one in the same array or object.
    private var needsComma = false

    /// Creates a writer with space for `capacity` bytes before it must grow.
    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends what `write` writes to `bytes`.
    package static func append(to bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 0)
        swap(&writer.bytes, &bytes)
        write(&writer)
        swap(&writer.bytes, &bytes)
    }

    /// Writes an object, whose members `members` writes.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Returns the JSON that `write` writes.
    package static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }

    /// Writes an array, whose values `write` writes.
    package mutating func array<Element>(
        _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        array { writer in
            for element in elements { write(&writer, element) }
        }
    }

    /// Writes an array of the values that `write` writes one after another.
    package mutating func array(_ write: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        write(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes the name of a member, whose value must follow; `key` must be ASCII without escapes.
    package mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(key)
        bytes.append("\":")
        needsComma = false
    }

    /// Writes the name of a member that is only known at run time; its value must follow.
    package mutating func key(text: String) {
        separate()
        bytes.append(quoting: text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string that is ASCII without escapes, such as a time.
    package mutating func quoted(_ text: Span<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(copying: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a value that is already JSON.
    package mutating func encoded(_ json: Span<UInt8>) {
        separate()
        bytes.append(copying: json)
        needsComma = true
    }

    /// Writes an object that is already encoded, with more members at its end.
    ///
    /// - Parameters:
    ///   - json: The encoded object, which has at least one member.
    ///   - members: Writes the additional members.
    package mutating func object(
        extending json: Span<UInt8>,
        _ members: (inout JSONWriter) -> Void
    ) {
        encoded(json)
        // The bracket at its end.
        _ = bytes.popLast()
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes a value with the output of `append`, which must be JSON.
    @inline(__always)
    mutating func write(_ append: (inout [UInt8]) -> Void) {
        separate()
        append(&bytes)
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}
