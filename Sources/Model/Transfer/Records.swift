/// A record as it goes from a file into a storage, or from a storage into a file.
package protocol TransferRecord: Equatable, Sendable {
    /// The id that it has or must have; nil for a new one.
    var id: Int64? { get }

    /// Stores records of this kind as `RecordImport` does.
    static func store(
        _ records: [Self],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult]

    /// Returns stored records of this kind as `RecordExport` does.
    static func stored(after id: Int64, limit: Int, in session: any RecordExport) throws -> [Self]
}

/// An event with its owner.
package struct EventRecord: TransferRecord {
    package let id: Int64?
    /// The id of the user; an import creates missing users, without a token.
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64?, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }

    package static func store(
        _ records: [EventRecord],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult] {
        try session.store(records, isStrict: isStrict)
    }

    package static func stored(
        after id: Int64,
        limit: Int,
        in session: any RecordExport
    ) throws -> [EventRecord] {
        try session.events(after: id, limit: limit)
    }
}

/// An attendance.
package struct AttendanceRecord: TransferRecord {
    package let id: Int64?
    /// The id of an event, which must exist.
    package let eventID: Int64
    /// The id of the user; an import creates missing users, without a token.
    package let userID: Int64

    package init(id: Int64?, eventID: Int64, userID: Int64) {
        self.id = id
        self.eventID = eventID
        self.userID = userID
    }

    package static func store(
        _ records: [AttendanceRecord],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult] {
        try session.store(records, isStrict: isStrict)
    }

    package static func stored(
        after id: Int64,
        limit: Int,
        in session: any RecordExport
    ) throws -> [AttendanceRecord] {
        try session.attendances(after: id, limit: limit)
    }
}

/// A task of Todo.
package struct TodoTaskRecord: TransferRecord {
    package let id: Int64?
    /// The address of its account; an import creates missing accounts, without a password.
    package let email: EmailAddress
    package let title: String
    package let isCompleted: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        id: Int64?,
        email: EmailAddress,
        title: String,
        isCompleted: Bool,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.email = email
        self.title = title
        self.isCompleted = isCompleted
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    package static func store(
        _ records: [TodoTaskRecord],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult] {
        try session.store(records, isStrict: isStrict)
    }

    package static func stored(
        after id: Int64,
        limit: Int,
        in session: any RecordExport
    ) throws -> [TodoTaskRecord] {
        try session.todoTasks(after: id, limit: limit)
    }
}

/// A task of the list that all MyTasks apps share.
package struct SharedTaskRecord: TransferRecord {
    /// The id of its row, which no app knows.
    package let id: Int64?
    package let task: SharedTask
    package let isCompleted: Bool

    package init(id: Int64?, task: SharedTask, isCompleted: Bool) {
        self.id = id
        self.task = task
        self.isCompleted = isCompleted
    }

    package static func store(
        _ records: [SharedTaskRecord],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult] {
        try session.store(records, isStrict: isStrict)
    }

    package static func stored(
        after id: Int64,
        limit: Int,
        in session: any RecordExport
    ) throws -> [SharedTaskRecord] {
        try session.sharedTasks(after: id, limit: limit)
    }
}

/// A check-in of Twosquare.
package struct CheckinRecord: TransferRecord {
    package let id: Int64?
    package let checkin: Checkin

    package init(id: Int64?, checkin: Checkin) {
        self.id = id
        self.checkin = checkin
    }

    package static func store(
        _ records: [CheckinRecord],
        isStrict: Bool,
        in session: any RecordImport
    ) throws -> [ImportResult] {
        try session.store(records, isStrict: isStrict)
    }

    package static func stored(
        after id: Int64,
        limit: Int,
        in session: any RecordExport
    ) throws -> [CheckinRecord] {
        try session.checkins(after: id, limit: limit)
    }
}
