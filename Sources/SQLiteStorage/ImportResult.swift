import Model
import SQLite

/// What became of a record that was to be imported.
package enum ImportResult: Equatable, Sendable {
    /// Stored under this id.
    case imported(id: Int64)
    /// Not stored, because there is a record of its kind with its id.
    case idIsTaken
    /// Not stored, because an id in it is not within 1 to `largestID`.
    case idIsOutOfRange
    /// Not stored, because the schema refuses a value of it.
    case refused(reason: String)

    /// The largest id that an import may bring; above it there is room for 2^62 ids more, all of
    /// which a 64-bit integer holds.
    package static let largestID: Int64 = 1 << 52

    /// The results of storing the records one after the other; ends, if strict, with the first that
    /// is not stored.
    static func ofEach<Record>(
        _ records: [Record],
        isStrict: Bool,
        _ store: (Record) throws -> ImportResult
    ) rethrows -> [ImportResult] {
        var results: [ImportResult] = []
        results.reserveCapacity(records.count)
        for record in records {
            let result = try store(record)
            results.append(result)
            if case .imported = result { continue }
            if isStrict { break }
        }
        return results
    }

    /// Whether an import may bring the id; nil, which asks for the next one, it may.
    static func allows(_ id: Int64?) -> Bool {
        id.map((1...largestID).contains) ?? true
    }
}

extension Connection {
    /// Stores a record of which `insert` makes a row, unless its id can't be had.
    ///
    /// - Parameters:
    ///   - id: The id that it must have; nil for the next one.
    ///   - lookUp: A query that answers a row if there is one with the bound id.
    ///   - insert: Inserts the row and returns its id.
    /// - Throws: What the database can't do; a value that the schema refuses is a result.
    /// - Returns: What became of the record.
    func store(
        importedUnder id: Int64?,
        unless lookUp: StaticString,
        _ insert: () throws -> Int64
    ) throws -> ImportResult {
        guard ImportResult.allows(id) else { return .idIsOutOfRange }
        if let id, try first(lookUp, .integer(id), row: { _ in true }) == true {
            return .idIsTaken
        }
        do {
            // A statement that violates a constraint is undone alone, without a savepoint.
            return .imported(id: try insert())
        } catch let error as SQLiteError where error.code.primary == .constraint {
            return .refused(reason: error.message)
        }
    }
}
