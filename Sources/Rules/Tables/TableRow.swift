package import Time

/// A row that begins with all columns of a table, as an engine reads it.
///
/// Required values throw if they are NULL, unless the engine never does.
package protocol TableRow: ~Copyable {
    associatedtype Failure: Error

    borrowing func integer(_ column: some TableColumns) throws(Failure) -> Int64
    borrowing func optionalInteger(_ column: some TableColumns) throws(Failure) -> Int64?
    borrowing func double(_ column: some TableColumns) throws(Failure) -> Double
    borrowing func optionalDouble(_ column: some TableColumns) throws(Failure) -> Double?
    borrowing func text(_ column: some TableColumns) throws(Failure) -> String
    borrowing func optionalText(_ column: some TableColumns) throws(Failure) -> String?
    /// Returns false for NULL.
    borrowing func boolean(_ column: some TableColumns) throws(Failure) -> Bool
    /// Returns the text of the first column after those of the table.
    borrowing func text<Columns: TableColumns>(
        after columns: Columns.Type
    ) throws(Failure) -> String
}

extension TableRow where Self: ~Copyable {
    package borrowing func time(_ column: some TableColumns) throws(Failure) -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    package borrowing func optionalTime(_ column: some TableColumns) throws(Failure) -> Timestamp? {
        try optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }
}

/// A value that is read from a row of its table, with all columns.
package protocol TableRecord {
    init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure)
}

extension ColumnValue {
    package static func integer(orNull integer: Int64?) -> ColumnValue {
        integer.map { .integer($0) } ?? .null
    }

    /// Returns a number as every engine stores it: NULL for NaN, and 0.0 for -0.0.
    package static func double(orNull number: Double?) -> ColumnValue {
        number.flatMap { $0.isNaN ? nil : .double($0 + 0) } ?? .null
    }

    package static func text(orNull text: String?) -> ColumnValue {
        text.map { .text($0) } ?? .null
    }

    package static func time(_ time: Timestamp) -> ColumnValue { .integer(time.milliseconds) }

    package static func time(orNull time: Timestamp?) -> ColumnValue {
        integer(orNull: time?.milliseconds)
    }
}
