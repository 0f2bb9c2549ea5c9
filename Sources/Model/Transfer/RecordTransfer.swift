/// Imports records into a storage and exports them from it, for commands.
///
/// Both functions block, so they are not for threads that serve requests.
package protocol RecordTransfer: Sendable {
    /// Runs `job` in one transaction and returns once its changes are durable.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether the job may be undone and run again, as other writes are when the
    ///     disk is full; one that uses up its input may not.
    ///   - job: What makes the changes.
    /// - Returns: What `job` returns.
    /// - Throws: What `job` throws, or the error of the transaction; nothing is changed then.
    func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (any RecordImport) throws -> T
    ) throws -> T

    /// Runs `job`, which sees the records as they are when it begins, whatever others write.
    func exportRecords<T>(_ job: (any RecordExport) throws -> T) throws -> T
}

extension RecordTransfer {
    /// Runs `job`, which can be repeated, in one transaction and returns its results.
    package func importRecords(
        _ job: @escaping @Sendable (any RecordImport) throws -> [ImportResult]
    ) throws -> [ImportResult] {
        try importRecords(isRepeatable: true, job)
    }
}

/// Stores records in the transaction of an import.
///
/// Each function returns the results in the order of the records. If a record can't be stored, the
/// others still are. With `isStrict`, the import stops at that record, whose result is the last.
package protocol RecordImport {
    func store(_ events: [EventRecord], isStrict: Bool) throws -> [ImportResult]
    func store(_ attendances: [AttendanceRecord], isStrict: Bool) throws -> [ImportResult]
    func store(_ tasks: [TodoTaskRecord], isStrict: Bool) throws -> [ImportResult]
    func store(_ tasks: [SharedTaskRecord], isStrict: Bool) throws -> [ImportResult]
    func store(_ checkins: [CheckinRecord], isStrict: Bool) throws -> [ImportResult]
}

/// Reads the records of an export.
///
/// Each function returns the records with the lowest ids above `id`, in the order of their ids:
/// `limit` at most, and fewer only if they are the last.
package protocol RecordExport {
    func events(after id: Int64, limit: Int) throws -> [EventRecord]
    func attendances(after id: Int64, limit: Int) throws -> [AttendanceRecord]
    func todoTasks(after id: Int64, limit: Int) throws -> [TodoTaskRecord]
    func sharedTasks(after id: Int64, limit: Int) throws -> [SharedTaskRecord]
    func checkins(after id: Int64, limit: Int) throws -> [CheckinRecord]
}

/// What became of a record that was to be imported.
package enum ImportResult: Equatable, Sendable {
    /// Stored under this id.
    case imported(id: Int64)
    /// Not stored, because there is a record of its kind with its id.
    case idIsTaken
    /// Not stored, because an id in it is not within 1 to `largestID`.
    case idIsOutOfRange
    /// Not stored, because the storage does not accept a value of it.
    case refused(reason: String)

    /// The largest id that an import accepts; above it there is room for 2^62 ids more, all of
    /// which a 64-bit integer holds.
    package static let largestID: Int64 = 1 << 52

    /// Whether an import accepts this id; nil means the next free id.
    package static func allows(_ id: Int64?) -> Bool {
        id.map((1...largestID).contains) ?? true
    }
}
