package import Events
import HTTP
import Sodium

/// The cursor of a page: a position between two events, in 32 characters.
///
/// It contains a hash of the filters, so that other queries reject it. It is not signed, because it
/// can only skip events.
package enum EventCursor {
    private static let version: UInt8 = 1
    private static let digestCount = 7
    private static let count = 24
    private static let textCount = 32

    /// Returns the cursor of a position in the result of these filters.
    package static func text(of position: EventPosition, filters: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        bytes.append(version)
        bytes += digest(of: filters)
        append(position.key, to: &bytes)
        append(position.id, to: &bytes)
        return Base64.encode(bytes, .url)
    }

    /// Parses a cursor that must belong to these filters.
    package static func read(_ text: String, filters: String) -> EventParameterContext.Cursor {
        guard let bytes = Base64.decode(text.utf8.prefix(textCount + 1), .url),
            bytes.count == count, bytes[0] == version
        else { return .invalid }
        guard bytes[1...digestCount].elementsEqual(digest(of: filters)) else {
            return .ofAnotherQuery
        }
        let numbers = bytes.dropFirst(1 + digestCount)
        return .position(
            EventPosition(key: number(numbers.prefix(8)), id: number(numbers.suffix(8)))
        )
    }

    /// Returns whether a cursor belongs to these filters.
    static func belongs(_ text: String, to filters: String) -> Bool {
        if case .position = read(text, filters: filters) { true } else { false }
    }

    private static func digest(of filters: String) -> ArraySlice<UInt8> {
        SHA256.digest(of: filters).prefix(digestCount)
    }

    /// Appends the bytes of a number, the highest one first.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
