import Events
import JSON
import Model
import Rules
import Time

extension ModerationRecords {
    func edit(
        _ id: Int64,
        by actor: String,
        if precondition: Precondition<Event>?,
        _ change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws -> Int64? {
        let now = Timestamp.now()
        return try await database.transaction { session in
            guard let row = try session.wholeEvent(id) else { throw ModelError.notFound }
            let event = Event(row)
            try precondition?(event)
            let new = try change(event.attributes)
            let values = EventColumn.attributes.map { ($0, new.value(of: $0)) }
                .filter { column, value in row[column] != value }
            if values.isEmpty { return nil }
            let change = try session.edit(row, values, at: now)
            return try session.addAction(.edit, "event", id, change, actor, at: now)
        }
    }
}

/// The statements that restore a deleted event.
private enum Insertions {
    static let events = RowInsertion(into: .events)
    static let attendances = RowInsertion(into: AttendanceRecord.table)
}

/// Values of columns of an event.
private typealias EventValues = [(column: EventColumn, value: ColumnValue)]

extension SharedSession {
    /// Returns the event with this id with all its columns, and locks its row.
    fileprivate func wholeEvent(_ id: Int64) throws -> SharedRow? {
        let kinds = Table.events.columns.map(\.kind)
        return try rows(.wholeEvent, id, kinds: kinds).first
    }

    /// Stores other values of an event, which has changed now.
    fileprivate func edit(
        _ row: SharedRow,
        _ values: EventValues,
        at time: Timestamp
    ) throws -> AuditedChange {
        let event = Event(row)
        // The log needs the place before.
        try note(.event(event.id, owner: event.ownerID, wasHidden: event.hidden != nil))
        var new = row
        for (column, value) in values { new[column] = value }
        new[EventColumn.updatedAt] = .time(time)
        let edited = SharedSQL.edited.map { SharedValue.value(of: $0.column, new[$0]) }
        _ = try rows(.editEvent, [.integer(event.id)] + edited, [])
        var change = AuditedChange(userID: event.ownerID)
        change.before = Self.json(values.map { ($0.column, row[$0.column]) })
        change.after = Self.json(values)
        return change
    }

    /// Restores the attributes before an edit; returns nil if those after it have changed since.
    func undoEdit(
        _ done: DoneAction,
        of id: Int64,
        at time: Timestamp
    ) throws -> AuditedChange? {
        guard let row = try wholeEvent(id), let before = Self.values(in: done.before),
            let after = Self.values(in: done.after),
            after.allSatisfy({ row[$0.column] == $0.value })
        else { return nil }
        return try edit(row, before, at: time)
    }

    /// Deletes an event, and keeps it with its attendances for an undo, unless they are too many.
    func delete(
        _ event: ModeratedEvent,
        keeping limit: Int64,
        at time: Timestamp
    ) throws -> AuditedChange {
        var change = AuditedChange(userID: event.ownerID)
        let attendances = try rows(
            .attendancesOfEvent,
            event.id,
            limit + 1,
            kinds: AttendanceRecord.table.columns.map(\.kind)
        )
        if attendances.count <= limit, let row = try wholeEvent(event.id) {
            change.before = Self.json(EventColumn.allCases.map { ($0, row[$0]) }, attendances)
        }
        // With the time of the action, so that its undo opens them again.
        try run(
            .closeReports,
            ReportedRecord.event(event.id).kind,
            event.id,
            time.milliseconds,
            "gone"
        )
        try deleteEvents([event.id], ofOwner: event.ownerID)
        return change
    }

    /// Stores a deleted event again; returns nil if it exists or its owner is deleted.
    ///
    /// `owner` is the owner, also after a merge.
    func restore(_ done: DoneAction, _ id: Int64, of owner: Int64) throws -> AuditedChange? {
        let user = try user(owner)
        guard !user.isDeleted, try eventIfAny(id) == nil,
            let object = JSONObject(stored: done.before)
        else { return nil }
        var values: [ColumnValue] = []
        for column in EventColumn.allCases.columns {
            guard let value = ColumnValue(object[column.name], of: column.kind) else { return nil }
            values.append(value)
        }
        var row = SharedRow(values)
        row[EventColumn.ownerID] = .integer(owner)
        let hidden = HidingCause(rawValue: row.integer(EventColumn.hidden))
        if user.isBanned, hidden == nil { row[EventColumn.hidden] = HidingCause?.some(.ban).stored }
        if !user.isBanned, hidden == .ban { row[EventColumn.hidden] = HidingCause?.none.stored }
        try insert([row.values], by: Insertions.events)
        try note(.newEvent(id, owner: owner))
        let attendances = Self.attendances(in: object)
        let users = SharedValue.integers(attendances.map { $0.integer(AttendanceColumn.userID) })
        let guests = Set(try integers(.guests, users, owner).map { $0.integer(0) })
        let restored = attendances.filter { guests.contains($0.integer(AttendanceColumn.userID)) }
        try insert(restored.map(\.values), by: Insertions.attendances)
        try noteAttendances(restored)
        return AuditedChange(userID: owner)
    }

    /// Returns an object with values of an event, and with rows of attendances as arrays.
    private static func json(_ values: EventValues, _ attendances: [SharedRow]? = nil) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            for (column, value) in values {
                writer.key(text: column.column.name)
                writer.stored(value)
            }
            guard let attendances else { return }
            writer.array("attendances", attendances) { writer, row in
                writer.array(row.values) { $0.stored($1) }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns the values of attributes in an object of `json`.
    private static func values(in text: String?) -> EventValues? {
        guard let object = JSONObject(stored: text) else { return nil }
        var values: EventValues = []
        for column in EventColumn.attributes {
            guard let json = object[column.column.name] else { continue }
            guard let value = ColumnValue(json, of: column.column.kind) else { return nil }
            values.append((column, value))
        }
        return values
    }

    /// Returns the attendances in an object of `json`.
    private static func attendances(in object: JSONObject) -> [SharedRow] {
        guard case .array(let rows) = object["attendances"] else { return [] }
        let columns = AttendanceRecord.table.columns
        return rows.map { row in
            guard case .array(let values) = row else { return SharedRow([]) }
            return SharedRow(
                zip(columns, values).map { ColumnValue($1, of: $0.kind) ?? .null }
            )
        }
    }
}
