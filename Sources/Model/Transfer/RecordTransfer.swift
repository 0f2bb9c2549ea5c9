/// The import and export of a storage's records, for commands.
///
/// Both functions block, so they are not for threads that serve requests.
package protocol RecordTransfer: Sendable {
    /// Runs `job` in one transaction and returns once its changes are durable.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether the job may be undone and run again, as other writes are when the
    ///     disk is full. A job that consumes its input may not.
    ///   - job: The function that makes the changes.
    /// - Returns: What `job` returns.
    /// - Throws: The error of `job` or of the transaction. Nothing is changed then.
    func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (RecordImport) throws -> T
    ) throws -> T

    /// Runs `job` with a snapshot of the records that later writes don't change.
    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T
}

extension RecordTransfer {
    /// Runs a repeatable `job` in one transaction and returns its results.
    package func importRecords(
        _ job: @escaping @Sendable (RecordImport) throws -> [ImportResult]
    ) throws -> [ImportResult] {
        try importRecords(isRepeatable: true, job)
    }
}

/// The transaction of an import: a function for each kind of record.
package struct RecordImport {
    /// Stores records, and returns the results in their order.
    ///
    /// If a record can't be stored, the others still are. A strict import stops at that record,
    /// whose result is the last.
    package typealias Store<Record> = (_ records: [Record], _ isStrict: Bool) throws
        -> [ImportResult]

    let events: Store<EventRecord>
    let attendances: Store<AttendanceRecord>
    let todoTasks: Store<TodoTaskRecord>
    let sharedTasks: Store<SharedTaskRecord>
    let checkins: Store<CheckinRecord>

    package init(
        events: @escaping Store<EventRecord>,
        attendances: @escaping Store<AttendanceRecord>,
        todoTasks: @escaping Store<TodoTaskRecord>,
        sharedTasks: @escaping Store<SharedTaskRecord>,
        checkins: @escaping Store<CheckinRecord>
    ) {
        self.events = events
        self.attendances = attendances
        self.todoTasks = todoTasks
        self.sharedTasks = sharedTasks
        self.checkins = checkins
    }

    /// Stores records of any kind.
    package func store<Record: TransferRecord>(
        _ records: [Record],
        isStrict: Bool
    ) throws -> [ImportResult] {
        try self[keyPath: Record.importing](records, isStrict)
    }
}

/// The snapshot of an export: a function for each kind of record.
package struct RecordExport {
    /// Returns the records with the lowest ids above `id`, in the order of their ids.
    ///
    /// It returns `limit` records at most, and fewer only if they are the last.
    package typealias Page<Record> = (_ id: Int64, _ limit: Int) throws -> [Record]

    let events: Page<EventRecord>
    let attendances: Page<AttendanceRecord>
    let todoTasks: Page<TodoTaskRecord>
    let sharedTasks: Page<SharedTaskRecord>
    let checkins: Page<CheckinRecord>

    package init(
        events: @escaping Page<EventRecord>,
        attendances: @escaping Page<AttendanceRecord>,
        todoTasks: @escaping Page<TodoTaskRecord>,
        sharedTasks: @escaping Page<SharedTaskRecord>,
        checkins: @escaping Page<CheckinRecord>
    ) {
        self.events = events
        self.attendances = attendances
        self.todoTasks = todoTasks
        self.sharedTasks = sharedTasks
        self.checkins = checkins
    }

    /// Returns a page of records of one kind.
    package func records<Record: TransferRecord>(
        _ kind: Record.Type = Record.self,
        after id: Int64,
        limit: Int
    ) throws -> [Record] {
        try self[keyPath: Record.exporting](id, limit)
    }
}

/// The result of importing one record.
package enum ImportResult: Equatable, Sendable {
    /// Stored under this id.
    case imported(id: Int64)
    /// Not stored, because a record of its kind has its id.
    case idIsTaken
    /// Not stored, because one of its ids is not within 1 to `largestID`.
    case idIsOutOfRange
    /// Not stored, because the storage rejects one of its values.
    case refused(reason: String)

    /// The result for a record of a user whose data was deleted.
    package static func ofDeletedUser(_ id: Int64) -> ImportResult {
        .refused(reason: "user \(id) was deleted")
    }

    /// The largest id that an import accepts.
    ///
    /// Above it, a 64-bit integer has room for 2^62 more ids.
    package static let largestID: Int64 = 1 << 52

    /// Returns whether an import accepts this id; nil means the next free id.
    package static func allows(_ id: Int64?) -> Bool {
        id.map((1...largestID).contains) ?? true
    }
}
