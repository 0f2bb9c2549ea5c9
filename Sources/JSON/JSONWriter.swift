/// Writes JSON straight into bytes, in the order of the calls and without white space.
///
/// A view reads like a table of its keys:
///
///     writer.object {
///         $0.field("id", task.id)
///         $0.object("owner") { $0.field("id", task.ownerID) }
///     }
///
/// The writer puts the commas. That every key has one value, and that there is one value in all, is
/// the caller's part.
package struct JSONWriter: ~Copyable {
    private var buffer: ByteBuffer
    /// Whether a value stands before the next one in the same array or object.
    private var needsComma = false

    /// A writer of nothing yet, with room for `capacity` bytes before it must grow.
    package init(capacity: Int = 256) {
        buffer = ByteBuffer(capacity: capacity)
    }

    /// The UTF-8 text written so far; a copy, in O(n).
    package var bytes: [UInt8] {
        buffer.array
    }

    /// Appends the text written so far to `output`, in O(n).
    package func append(to output: inout [UInt8]) {
        buffer.append(to: &output)
    }

    /// Writes an object with the members that `members` writes.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array with the value that `write` writes for each element.
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

    /// Writes the name of a member, whose value comes next; `key` is ASCII and needs no escape.
    package mutating func key(_ key: StaticString) {
        buffer.append(key: key, needsComma: needsComma)
        needsComma = false
    }

    /// Writes the name of a member that is known only at run time, whose value comes next.
    package mutating func key(text: String) {
        separate()
        buffer.append(quoting: text)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string whose text `append` appends: at most `capacity` bytes of ASCII that needs
    /// no escape, such as a time.
    package mutating func quoted(
        capacity: Int,
        _ append: (inout OutputSpan<UInt8>) -> Void
    ) {
        write { buffer in
            buffer.append(UInt8(ascii: "\""))
            buffer.append(upTo: capacity, append)
            buffer.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a number whose text `append` appends: at most `capacity` bytes.
    package mutating func number(
        capacity: Int,
        _ append: (inout OutputSpan<UInt8>) -> Void
    ) {
        write { buffer in buffer.append(upTo: capacity, append) }
    }

    /// Writes a value that is JSON already.
    package mutating func encoded(_ json: [UInt8]) {
        write { $0.append(copying: json.span) }
    }

    /// Writes one value: what `append` appends, which must be JSON.
    @inline(__always)
    mutating func write(_ append: (inout ByteBuffer) -> Void) {
        separate()
        append(&buffer)
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        buffer.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        buffer.append(bracket)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
    }
}
