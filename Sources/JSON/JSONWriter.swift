import Bytes

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
package struct JSONWriter: Sendable {
    /// The UTF-8 text written so far.
    package private(set) var bytes: [UInt8]
    /// Whether a value stands before the next one in the same array or object.
    private var needsComma = false

    /// A writer of nothing yet, with room for `capacity` bytes before it must grow.
    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
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
        open(UInt8(ascii: "["))
        for element in elements {
            write(&self, element)
        }
        close(UInt8(ascii: "]"))
    }

    /// Writes the name of a member, whose value comes next; `key` is ASCII and needs no escape.
    package mutating func key(_ key: StaticString) {
        let needsComma = needsComma
        bytes.append(addingCapacity: key.utf8CodeUnitCount + 4) { output in
            if needsComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            output.append(key)
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
        self.needsComma = false
    }

    /// Writes a string whose text `append` appends: at most `capacity` bytes of ASCII that needs
    /// no escape, such as a time.
    package mutating func quoted(
        capacity: Int,
        _ append: (inout OutputSpan<UInt8>) -> Void
    ) {
        write(capacity: capacity + 2) { output in
            output.append(UInt8(ascii: "\""))
            append(&output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a value that is JSON already.
    package mutating func encoded(_ json: [UInt8]) {
        separate()
        bytes += json
        needsComma = true
    }

    /// Writes a string with the escapes that it needs.
    mutating func writeQuoting(_ string: String) {
        separate()
        bytes.append(quoting: string)
        needsComma = true
    }

    /// Writes one value: what `append` appends, which must be JSON of at most `capacity` bytes.
    @inline(__always)
    mutating func write(capacity: Int, _ append: (inout OutputSpan<UInt8>) -> Void) {
        let needsComma = needsComma
        bytes.append(addingCapacity: capacity + 1) { output in
            if needsComma { output.append(UInt8(ascii: ",")) }
            append(&output)
        }
        self.needsComma = true
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
        if needsComma {
            bytes.append(UInt8(ascii: ","))
        }
    }
}
