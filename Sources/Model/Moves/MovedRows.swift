/// Rows of one table in a form that is the same for all engines, in the order of their ids.
///
/// A row is a tuple of PostgreSQL's binary COPY format
/// (<https://www.postgresql.org/docs/current/sql-copy.html>): the number of columns in two bytes,
/// and for each column the length of its value in four bytes and the value. The length of NULL is
/// -1. So equal rows have equal bytes, whichever database they come from.
package struct MovedRows: Sendable {
    /// The tuples, one after the other.
    package private(set) var bytes: [UInt8] = []
    package private(set) var ids: [Int64] = []
    /// Where each tuple ends.
    private var ends: [Int] = []

    package init() {}

    package var count: Int { ids.count }

    private func start(of row: Int) -> Int { row == 0 ? 0 : ends[row - 1] }
}

extension MovedRows {
    /// Begins a row; its values are appended next, in the order of the columns.
    package mutating func beginRow(columns: Int) {
        append(UInt16(truncatingIfNeeded: columns))
    }

    /// Ends the row with this id, which is greater than that of the row before.
    package mutating func endRow(id: Int64) {
        ids.append(id)
        ends.append(bytes.count)
    }

    package mutating func appendNull() { append(UInt32.max) }

    package mutating func append(value: Int64) {
        append(UInt32(8))
        append(UInt64(bitPattern: value))
    }

    /// Appends a number; -0.0 becomes 0.0, because not every engine stores the sign.
    package mutating func append(value: Double) {
        append(UInt32(8))
        append(value == 0 ? 0 : value.bitPattern)
    }

    package mutating func append(value: Bool) {
        append(UInt32(1))
        bytes.append(value ? 1 : 0)
    }

    package mutating func append(value: String) {
        append(UInt32(clamping: value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    package mutating func append(value: [UInt8]) {
        append(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a whole row that `write` appends to the bytes as a tuple.
    package mutating func appendRow(
        id: Int64,
        _ write: (inout [UInt8]) throws -> Void
    ) rethrows {
        try write(&bytes)
        endRow(id: id)
    }

    private mutating func append(_ number: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func append(_ number: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func append(_ number: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
    }
}

extension MovedRows {
    /// Returns the values of a row; nil if it doesn't have values of these types.
    package func values(ofRow row: Int, _ columns: [ColumnKind]) -> [ColumnValue]? {
        guard ids.indices.contains(row) else { return nil }
        var tuple = bytes[start(of: row)..<ends[row]]
        guard tuple.number(of: 2).map(Int.init) == columns.count else { return nil }
        var values: [ColumnValue] = []
        values.reserveCapacity(columns.count)
        for column in columns {
            guard let length = tuple.number(of: 4) else { return nil }
            if length == UInt64(UInt32.max) {
                values.append(.null)
                continue
            }
            guard let value = tuple.value(column, count: Int(length)) else { return nil }
            values.append(value)
        }
        return tuple.isEmpty ? values : nil
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number of at most eight bytes; nil if there are fewer bytes.
    fileprivate mutating func number(of count: Int) -> UInt64? {
        guard self.count >= count else { return nil }
        var number: UInt64 = 0
        for byte in prefix(count) { number = number << 8 | UInt64(byte) }
        removeFirst(count)
        return number
    }

    /// Removes a value of this type; nil if it can't have this many bytes.
    fileprivate mutating func value(
        _ type: ColumnKind,
        count: Int
    ) -> ColumnValue? {
        guard self.count >= count else { return nil }
        switch type {
        case .integer:
            return count == 8 ? number(of: 8).map { .integer(Int64(bitPattern: $0)) } : nil
        case .double:
            return count == 8 ? number(of: 8).map { .double(Double(bitPattern: $0)) } : nil
        case .boolean:
            return count == 1 ? number(of: 1).map { .boolean($0 != 0) } : nil
        case .text:
            defer { removeFirst(count) }
            return .text(String(decoding: prefix(count), as: UTF8.self))
        case .bytes:
            defer { removeFirst(count) }
            return .bytes(Array(prefix(count)))
        }
    }
}
