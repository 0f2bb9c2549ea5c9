/// The text of a statement: a literal, or made once of texts of the program.
///
/// Input can't become SQL, because values are bound. A text is never freed, so its address
/// identifies the statement.
@safe
package struct SQL: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    // The bytes, which end with a null, never change.
    nonisolated(unsafe) private let start: UnsafePointer<UInt8>
    /// The number of bytes without the null.
    private let count: Int

    package init(stringLiteral text: StaticString) {
        precondition(text.hasPointerRepresentation, "a single character is not a statement")
        unsafe start = text.utf8Start
        count = text.utf8CodeUnitCount
    }

    /// Makes a statement, once for each `static let`; `text` must never contain input.
    package init(made text: String) {
        count = text.utf8.count
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 1)
        for (index, byte) in (Array(text.utf8) + [0]).enumerated() {
            unsafe (memory + index).initialize(to: byte)
        }
        unsafe start = UnsafePointer(memory)
    }

    package var description: String { unsafe String(decoding: bytes, as: UTF8.self) }

    /// The address of the text, which no other statement has.
    package var address: UInt { unsafe UInt(bitPattern: start) }

    /// The text without the null.
    @unsafe package var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: start, count: count)
    }

    /// The text as libpq takes it.
    @unsafe package var characters: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    }

    /// Returns whether both are the same statement, and not only of the same text.
    package func isSame(as other: SQL) -> Bool { address == other.address }
}
