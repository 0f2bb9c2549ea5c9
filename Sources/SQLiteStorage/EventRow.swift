import Model
import SQLite
import Time

/// A row of an event.
///
/// Every change to an event must use it.
struct EventRow {
    private let attributes: EventAttributes
    private let ownerID: Int64

    init(_ attributes: EventAttributes, ownerID: Int64) {
        self.attributes = attributes
        self.ownerID = ownerID
    }

    /// Stores the event under this id, or the next one if nil, and returns the id.
    func insert(id: Int64?, on connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.run(
            """
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
            """,
            .integer(orNull: id),
            .integer(ownerID),
            .text(attributes.name),
            .text(orNull: attributes.address),
            .real(attributes.coordinate.latitude),
            .real(attributes.coordinate.longitude),
            .integer(attributes.startedAt.milliseconds),
            .integer(orNull: attributes.endedAt?.milliseconds),
            .integer(Timestamp.now().milliseconds)
        )
        let id = connection.lastInsertRowID
        note(id, on: connection)
        return id
    }

    /// Replaces an existing event.
    func replace(_ event: Event, on connection: Connection) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE events
            SET name = ?, address = ?, latitude = ?, longitude = ?, started_at = ?, ended_at = ?,
                updated_at = ?
            WHERE id = ?
            """,
            .text(attributes.name),
            .text(orNull: attributes.address),
            .real(attributes.coordinate.latitude),
            .real(attributes.coordinate.longitude),
            .integer(attributes.startedAt.milliseconds),
            .integer(orNull: attributes.endedAt?.milliseconds),
            .integer(Timestamp.now().milliseconds),
            .integer(event.id)
        )
        note(event.id, on: connection)
    }

    /// Deletes an event; the schema deletes its attendances with it.
    static func delete(_ event: Event, on connection: Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM events WHERE id = ?", .integer(event.id))
        connection.eventFollower?.didDelete(event.id)
    }

    private func note(_ id: Int64, on connection: Connection) {
        var stored = attributes
        // SQLite stores -0.0 as 0.0.
        stored.coordinate = Coordinate(
            latitude: attributes.coordinate.latitude + 0,
            longitude: attributes.coordinate.longitude + 0
        )
        connection.eventFollower?.didStore(Event(id: id, ownerID: ownerID, attributes: stored))
    }
}
