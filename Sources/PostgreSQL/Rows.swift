import CPostgreSQL
import System

/// The rows that a command has returned.
package struct Rows: Sendable, RandomAccessCollection {
    private let result: QueryResult
    package let startIndex: Int
    package let endIndex: Int

    init(_ result: QueryResult) {
        self.init(result, 0..<result.rowCount)
    }

    private init(_ result: QueryResult, _ range: Range<Int>) {
        self.result = result
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    /// Returns where each row is by a column with a number that no other row has.
    func positionsByNumber(in column: Int = 0) throws(PostgreSQLError) -> [Int64: Int] {
        var positions: [Int64: Int] = [:]
        positions.reserveCapacity(count)
        for position in indices { positions[try self[position].bigint(column)] = position }
        return positions
    }

    /// The number of columns.
    var columnCount: Int { result.columnCount }

    /// Returns the row at this position alone, or no row for nil.
    func row(_ position: Int?) -> Rows {
        Rows(result, position.map { $0..<$0 + 1 } ?? 0..<0)
    }

    /// The row at this position, which must exist.
    package subscript(row: Int) -> Row {
        precondition(indices.contains(row), "there is no such row")
        return Row(result: result, index: Int32(truncatingIfNeeded: row))
    }
}

/// A row of a result, whose columns count from 0.
///
/// Access to a column throws a `PostgreSQLError` if the result has no such column, if the column
/// has another type, or if the value is NULL and the function's name doesn't begin with `optional`.
package struct Row: Sendable {
    fileprivate let result: QueryResult
    fileprivate let index: Int32

    /// Returns an integer of any size.
    package func bigint(_ column: Int) throws(PostgreSQLError) -> Int64 {
        try required(column, optionalBigint(column))
    }

    /// Returns an integer of any size, or nil for NULL.
    package func optionalBigint(_ column: Int) throws(PostgreSQLError) -> Int64? {
        try result.integer(index, column)
    }

    package func double(_ column: Int) throws(PostgreSQLError) -> Double {
        try required(column, optionalDouble(column))
    }

    package func optionalDouble(_ column: Int) throws(PostgreSQLError) -> Double? {
        try unsafe result.value(index, column, { $0 == TypeID.double }) { bytes in
            bytes.count == 8 ? Double(bitPattern: unsafe bytes.bigEndian()) : nil
        }
    }

    package func text(_ column: Int) throws(PostgreSQLError) -> String {
        try required(column, optionalText(column))
    }

    package func optionalText(_ column: Int) throws(PostgreSQLError) -> String? {
        let isText = { (type: UInt32) in
            type == TypeID.text || type == TypeID.varchar || type == TypeID.name
                || type == TypeID.unknown
        }
        return try unsafe result.value(index, column, isText) {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    package func bytes(_ column: Int) throws(PostgreSQLError) -> [UInt8] {
        try required(column, optionalBytes(column))
    }

    package func optionalBytes(_ column: Int) throws(PostgreSQLError) -> [UInt8]? {
        try unsafe result.value(index, column, { $0 == TypeID.bytes }) { unsafe [UInt8]($0) }
    }

    package func boolean(_ column: Int) throws(PostgreSQLError) -> Bool {
        try required(column, optionalBoolean(column))
    }

    package func optionalBoolean(_ column: Int) throws(PostgreSQLError) -> Bool? {
        try unsafe result.value(index, column, { $0 == TypeID.boolean }) {
            unsafe $0.first.map { $0 != 0 }
        }
    }

    /// Whether the value is NULL.
    package func isNull(_ column: Int) throws(PostgreSQLError) -> Bool {
        try result.isNull(index, column)
    }

    private func required<T>(_ column: Int, _ value: T?) throws(PostgreSQLError) -> T {
        guard let value else { throw .unexpectedResult("column \(column) is NULL") }
        return value
    }
}

/// A result of libpq, which is freed with the last reference.
@safe
final class QueryResult: Sendable {
    private let library: Libpq
    // Pointers are not Sendable. This one is safe for all threads: results never change, and libpq
    // allows several threads to read one
    // (<https://www.postgresql.org/docs/current/libpq-threading.html>).
    nonisolated(unsafe) private let result: OpaquePointer
    let rowCount: Int
    let columnCount: Int

    /// Takes over a result.
    init(_ result: OpaquePointer, _ library: Libpq) {
        self.library = library
        unsafe self.result = result
        let functions = unsafe library.functions
        rowCount = Int(unsafe functions.pointee.PQntuples(result))
        columnCount = Int(unsafe functions.pointee.PQnfields(result))
    }

    deinit {
        unsafe functions.pointee.PQclear(result)
    }

    private var functions: UnsafePointer<HumonLibPQ> { unsafe library.functions }

    /// The kind of the result (`PGRES_…`).
    var status: Int32 { unsafe functions.pointee.PQresultStatus(result) }

    /// Whether the command has succeeded.
    var isSuccess: Bool {
        let status = status
        return status == HUMON_PGRES_TUPLES_OK
            || status == HUMON_PGRES_COMMAND_OK
            // PostgreSQL's result for a script that has only comments.
            || status == HUMON_PGRES_EMPTY_QUERY
    }

    /// Whether it is the answer to `Session.sync`.
    var isSync: Bool { status == HUMON_PGRES_PIPELINE_SYNC }

    /// Whether the command was skipped because of an error before it.
    var isAborted: Bool { status == HUMON_PGRES_PIPELINE_ABORTED }

    /// The command's tag, such as `COMMIT`.
    var tag: String {
        guard let tag = unsafe functions.pointee.PQcmdStatus(result) else { return "" }
        return unsafe String(cString: tag)
    }

    /// The code of the error.
    var state: SQLState? { errorField("C").map(SQLState.init) }

    /// The error, without the detail, which can contain bound values.
    func error(in sql: SQL?) -> PostgreSQLError {
        let state = state
        let isLost = state?.endsConnection ?? true
        return PostgreSQLError(
            isLost ? .unreachable : .rejected,
            state: state,
            message: errorField("M") ?? "the connection was lost",
            sql: sql.map { "\($0)" }
        )
    }

    /// The error, if it means that the connection is lost.
    var loss: PostgreSQLError? {
        guard !isSuccess, !isAborted else { return nil }
        let error = error(in: nil)
        return error.kind == .unreachable ? error : nil
    }

    private func errorField(_ code: Unicode.Scalar) -> String? {
        let field = Int32(code.value)
        guard let text = unsafe functions.pointee.PQresultErrorField(result, field) else {
            return nil
        }
        return unsafe String(cString: text)
    }

    func isNull(_ row: Int32, _ column: Int) throws(PostgreSQLError) -> Bool {
        guard (0..<columnCount).contains(column) else {
            throw .unexpectedResult("there is no column \(column)")
        }
        return unsafe functions.pointee.PQgetisnull(result, row, Int32(column)) != 0
    }

    /// Returns what `decode` makes of the value's bytes; nil for NULL.
    ///
    /// - Throws: An error if the column doesn't exist or has another type, or `decode` can't.
    @inline(__always)
    func value<T>(
        _ row: Int32,
        _ column: Int,
        _ isType: (UInt32) -> Bool,
        _ decode: (UnsafeRawBufferPointer) -> T?
    ) throws(PostgreSQLError) -> T? {
        let type = try type(of: column)
        guard isType(type) else {
            throw .unexpectedResult("column \(column) has the type \(type)")
        }
        guard let bytes = unsafe bytes(row, Int32(column)) else { return nil }
        guard let value = unsafe decode(bytes) else {
            throw .unexpectedResult("column \(column) has \(bytes.count) bytes")
        }
        return value
    }

    /// Returns an integer of 2, 4 or 8 bytes; nil for NULL.
    func integer(_ row: Int32, _ column: Int) throws(PostgreSQLError) -> Int64? {
        let type = try type(of: column)
        guard let bytes = unsafe bytes(row, Int32(column)) else { return nil }
        switch (type, bytes.count) {
        case (TypeID.bigint, 8): return Int64(bitPattern: unsafe bytes.bigEndian())
        case (TypeID.integer, 4):
            return Int64(Int32(truncatingIfNeeded: unsafe bytes.bigEndian()))
        case (TypeID.smallint, 2):
            return Int64(Int16(truncatingIfNeeded: unsafe bytes.bigEndian()))
        default:
            throw .unexpectedResult("column \(column) has the type \(type), and is no integer")
        }
    }

    private func type(of column: Int) throws(PostgreSQLError) -> UInt32 {
        guard (0..<columnCount).contains(column) else {
            throw .unexpectedResult("there is no column \(column)")
        }
        return unsafe functions.pointee.PQftype(result, Int32(column))
    }

    @unsafe
    private func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        guard unsafe functions.pointee.PQgetisnull(result, row, column) == 0 else { return nil }
        let count = Int(unsafe functions.pointee.PQgetlength(result, row, column))
        let start = unsafe functions.pointee.PQgetvalue(result, row, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes, of which there are at most 8, as a number.
    @unsafe
    fileprivate func bigEndian() -> UInt64 {
        var number: UInt64 = 0
        unsafe forEach { byte in number = number << 8 | UInt64(byte) }
        return number
    }
}
