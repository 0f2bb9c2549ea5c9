import Bytes
import HTTP
package import Model

/// The cursor of a client that follows changes: the log, the position in it, and a hash of the
/// filter, which other filters and other users reject.
///
/// Examples are `5e8c01f7-1042-dc76` and, within the list of all records,
/// `5e8c01f7-1042.1.812-dc76`.
package enum ChangeCursor {
    /// Returns the four digits of a filter and its user.
    package static func digits(of filter: String, userID: Int64?) -> String {
        var hash = FNVHash()
        hash.add(filter)
        hash.add(";")
        // Without more bytes after it, the last digit of an id would hardly change the first ones
        // of the hash.
        if let userID { hash.add("\(userID);;;;;;;;") }
        return String(hash.digits.prefix(4))
    }

    /// Returns the cursor of a position.
    package static func text(of position: ChangePosition, digits: String) -> String {
        let list = position.snapshot.map { [Int64($0.part)] + $0.ids } ?? []
        let text = list.reduce("\(position.number)") { "\($0).\($1)" }
        return "\(position.log)-\(text)-\(digits)"
    }

    /// Parses a cursor, and returns its position and the digits of its filter; nil if it has
    /// another form.
    ///
    /// A number that no log has, because it is too great, is the greatest one.
    package static func read(_ text: String) -> (position: ChangePosition, digits: String)? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, isHexadecimal(parts[0], count: 8), isHexadecimal(parts[2], count: 4)
        else { return nil }
        let fields = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = fields.compactMap { field in
            field.count <= 19 && field.allSatisfy(\.isDigit)
                ? UInt64(String(decoding: field, as: UTF8.self)) : nil
        }.map(Int64.init(clamping:))
        guard numbers.count == fields.count, let number = numbers.first else { return nil }
        var position = ChangePosition(
            log: String(decoding: parts[0], as: UTF8.self),
            number: number
        )
        if numbers.count > 1 {
            guard 3...4 ~= numbers.count, 1...3 ~= numbers[1] else { return nil }
            position.snapshot = .init(part: Int(numbers[1]), ids: Array(numbers.dropFirst(2)))
        }
        return (position, String(decoding: parts[2], as: UTF8.self))
    }

    private static func isHexadecimal(_ text: ArraySlice<UInt8>, count: Int) -> Bool {
        text.count == count
            && text.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")) ~= $0 }
    }
}
