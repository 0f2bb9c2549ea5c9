package import Events
package import Rules
package import Time

/// A record that is moved between a file and a storage.
package protocol TransferRecord: Equatable, Sendable {
    /// The id of the record; nil if an import assigns one.
    var id: Int64? { get }
    /// The id of the user that an import creates with it, unless it exists; nil if it has none.
    var requiredUserID: Int64? { get }
    /// Whether only some users can see it.
    var isPrivate: Bool { get }
    /// Whether it is hidden, for which not every format has a place.
    var isHidden: Bool { get }

    /// The table of the records.
    static var table: Table { get }
    /// The function of an import for records of this kind.
    static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { get }
    /// The function of an export for records of this kind.
    static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { get }
}

extension TransferRecord {
    package var requiredUserID: Int64? { nil }
    package var isPrivate: Bool { false }
    package var isHidden: Bool { false }
}

/// An event with its owner.
package struct EventRecord: TransferRecord {
    package static var table: Table { .events }
    package static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { \.events }
    package static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { \.events }

    package let id: Int64?
    /// The id of the user; an import creates missing users, without a token.
    package let ownerID: Int64
    package let attributes: EventAttributes
    /// Why only the owner can see it; nil for an event that is not hidden.
    package let hidden: HidingCause?
    /// The name of the owner, which files don't have; nil without one.
    package var ownerName: String?

    package var requiredUserID: Int64? { ownerID }
    package var isPrivate: Bool { attributes.isPrivate }
    package var isHidden: Bool { hidden != nil }

    package init(
        id: Int64?,
        ownerID: Int64,
        attributes: EventAttributes,
        hidden: HidingCause? = nil
    ) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
        self.hidden = hidden
    }

    package init(_ event: Event) {
        self.init(
            id: event.id,
            ownerID: event.ownerID,
            attributes: event.attributes,
            hidden: event.hidden
        )
        ownerName = event.ownerName
    }
}

extension EventRecord: TableRecord {
    /// Returns the value of one of the columns of `EventField.exported`; null for other columns.
    package func value(of column: EventColumn) -> ColumnValue {
        switch column {
        case .id: .integer(orNull: id)
        case .ownerID: .integer(ownerID)
        default: attributes.value(of: column)
        }
    }

    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(try Event(row))
    }
}

/// An attendance.
package struct AttendanceRecord: TransferRecord {
    package static var table: Table { .attendances }
    package static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { \.attendances }
    package static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { \.attendances }

    package let id: Int64?
    /// The id of an event, which must exist.
    package let eventID: Int64
    /// The id of the user; an import creates missing users, without a token.
    package let userID: Int64

    package var requiredUserID: Int64? { userID }

    package init(id: Int64?, eventID: Int64, userID: Int64) {
        self.id = id
        self.eventID = eventID
        self.userID = userID
    }
}

/// A task of Todo.
package struct TodoTaskRecord: TransferRecord {
    package static var table: Table { .todoTasks }
    package static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { \.todoTasks }
    package static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { \.todoTasks }

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
}

/// A task of the list that all MyTasks apps share.
package struct SharedTaskRecord: TransferRecord {
    package static var table: Table { .sharedTasks }
    package static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { \.sharedTasks }
    package static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { \.sharedTasks }

    /// The id of its row, which apps don't know.
    package let id: Int64?
    package let task: SharedTask
    package let isCompleted: Bool

    package init(id: Int64?, task: SharedTask, isCompleted: Bool) {
        self.id = id
        self.task = task
        self.isCompleted = isCompleted
    }
}

/// A check-in of Twosquare.
package struct CheckinRecord: TransferRecord {
    package static var table: Table { .checkins }
    package static var importing: KeyPath<RecordImport, RecordImport.Store<Self>> { \.checkins }
    package static var exporting: KeyPath<RecordExport, RecordExport.Page<Self>> { \.checkins }

    package let id: Int64?
    package let checkin: Checkin

    package init(id: Int64?, checkin: Checkin) {
        self.id = id
        self.checkin = checkin
    }
}
