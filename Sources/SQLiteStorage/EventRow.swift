import Events
import Model
import Rules
import SQLite
import System
import Time

/// A row of an event.
struct EventRow {
    private let attributes: EventAttributes
    private let ownerID: Int64
    private let hidden: HidingCause?

    init(_ attributes: EventAttributes, ownerID: Int64, hidden: HidingCause?) {
        self.attributes = attributes
        self.ownerID = ownerID
        self.hidden = hidden
    }

    private static let insert = SQL(insertingInto: .events)

    /// Stores the event under this id, or the next one if nil, and returns the id.
    func insert(id: Int64?, on connection: Connection) throws(SQLiteError) -> Int64 {
        let now = Timestamp.now()
        return try connection.insert(
            Self.insert,
            EventColumn.allCases.map { column in
                switch column {
                case .id: .integer(orNull: id)
                case .ownerID: .integer(ownerID)
                case .createdAt: .time(now)
                default: changedValue(of: column, at: now)
                }
            }
        )
    }

    private static let replace = SQL(
        made: """
            UPDATE events SET \(EventColumn.changed.columns.assignments("?", from: 2)) WHERE id = ?1
            """
    )

    /// Replaces an existing event.
    func replace(_ event: Event, on connection: Connection) throws(SQLiteError) {
        let now = Timestamp.now()
        let values = EventColumn.changed.map { changedValue(of: $0, at: now).bound }
        try connection.run(Self.replace, values: [.integer(event.id)] + values)
    }

    /// Returns the value of one of `EventColumn.changed`.
    private func changedValue(of column: EventColumn, at time: Timestamp) -> ColumnValue {
        switch column {
        case .updatedAt: .time(time)
        case .hidden: hidden.stored
        default: attributes.value(of: column)
        }
    }
}
