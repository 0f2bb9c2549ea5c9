import SQLite

/// The statements for the segments of events.
///
/// A row contains the events of an ordering after the row before it, up to its own `key` and `id`:
/// 1 is by the cells of their places, 2 by the ids of their owners. The last row of an ordering has
/// the greatest numbers, so every event is in a segment of each. `events` is NULL after one of them
/// was written, by whatever program; a search then reads these events from their table.
///
/// A change of what `events` contains needs another name of the table, so that no server reads the
/// segments of another version.
enum SegmentSQL {
    /// What is created for segments; an owner's events are read from the index.
    static let objects =
        [
            "index events_owner_id", "table event_segments_2", "index event_segments_2_key",
            "index event_segments_2_outdated",
        ] + triggers.map { "trigger \($0.name)" }

    /// What an earlier version had instead.
    ///
    /// The segments without a number told events without an end from no others.
    static let formerObjects = [
        "index events_cell_covering", "index events_owner_id_covering", "table event_segments",
        "index event_segments_key", "index event_segments_outdated",
    ]

    /// Creates the objects, and a row for all events of each ordering.
    static let creation =
        """
        CREATE INDEX IF NOT EXISTS events_owner_id ON events (owner_id);
        CREATE TABLE event_segments_2 (
            ordering INTEGER NOT NULL CHECK (ordering IN (1, 2)),
            key INTEGER NOT NULL,
            id INTEGER NOT NULL,
            -- Edges of the places, in degrees.
            south REAL NOT NULL DEFAULT -90,
            north REAL NOT NULL DEFAULT 90,
            west REAL NOT NULL DEFAULT -180,
            east REAL NOT NULL DEFAULT 180,
            events BLOB
        ) STRICT;
        CREATE UNIQUE INDEX event_segments_2_key ON event_segments_2
            (ordering, key, id, south, north, west, east);
        CREATE INDEX event_segments_2_outdated ON event_segments_2 (ordering, key, id)
        WHERE events IS NULL;
        INSERT INTO event_segments_2 (ordering, key, id) VALUES
            (1, 9223372036854775807, 9223372036854775807),
            (2, 9223372036854775807, 9223372036854775807);

        """
        + triggers.map { trigger in
            """
            CREATE TRIGGER \(trigger.name) \(trigger.event) BEGIN
                \(trigger.events.map(outdateSegments).joined())
            END;

            """
        }.joined()

    /// Drops the objects and those of an earlier version, if they exist.
    static let removal = """
        DROP INDEX IF EXISTS events_cell_covering;
        DROP INDEX IF EXISTS events_owner_id_covering;
        DROP TABLE IF EXISTS event_segments;
        DROP TABLE IF EXISTS event_segments_2;
        DROP INDEX IF EXISTS events_owner_id;

        """ + triggers.map { "DROP TRIGGER IF EXISTS \($0.name);\n" }.joined()

    /// The first and the last one are for REPLACE, which deletes the event that has the id without
    /// a trigger for it (<https://sqlite.org/lang_conflict.html>).
    private static let triggers = [
        (
            name: "event_segments_replace",
            event: """
            BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
            """,
            events: ["FROM events WHERE id = NEW.id"]
        ),
        (name: "event_segments_insert", event: "AFTER INSERT ON events", events: [new]),
        (name: "event_segments_delete", event: "AFTER DELETE ON events", events: [old]),
        (
            name: "event_segments_update",
            event: """
            AFTER UPDATE ON events WHEN (
                OLD.id, OLD.owner_id, OLD.latitude, OLD.longitude, OLD.started_at,
                OLD.ended_at, OLD.cell
            ) IS NOT (
                NEW.id, NEW.owner_id, NEW.latitude, NEW.longitude, NEW.started_at,
                NEW.ended_at, NEW.cell
            )
            """,
            events: [old, new]
        ),
        (
            name: "event_segments_move",
            event: "BEFORE UPDATE ON events WHEN OLD.id <> NEW.id",
            events: ["FROM events WHERE id = NEW.id"]
        ),
    ]
    private static let new =
        "FROM (SELECT NEW.id AS id, NEW.cell AS cell, NEW.owner_id AS owner_id)"
    private static let old =
        "FROM (SELECT OLD.id AS id, OLD.cell AS cell, OLD.owner_id AS owner_id)"

    /// Returns the statements of a trigger that declare the segments of an event outdated.
    private static func outdateSegments(of event: String) -> String {
        outdate("cell", event, 1) + outdate("owner_id", event, 2)
    }

    private static func outdate(_ key: String, _ event: String, _ ordering: Int) -> String {
        """
        UPDATE event_segments_2
        SET events = NULL, south = -90, north = 90, west = -180, east = 180
        WHERE ordering = \(ordering) AND events IS NOT NULL AND (key, id) = (
            SELECT key, id FROM event_segments_2
            WHERE ordering = \(ordering) AND (key, id) >= (SELECT \(key), id \(event))
            ORDER BY key, id LIMIT 1
        );

        """
    }

    /// The types and names of all objects of the database.
    static let schema: StaticString = "SELECT type || ' ' || name FROM sqlite_schema"

    /// The number of last rows, one for each ordering.
    static let lastSegments: StaticString = """
        SELECT count(*) FROM event_segments_2
        WHERE ordering IN (1, 2) AND key = 9223372036854775807 AND id = 9223372036854775807
        """

    /// Parameters of the following statements: the ordering, then a key and an id.
    ///
    /// The first outdated segment after a position.
    static let firstOutdated: StaticString = """
        SELECT key, id FROM event_segments_2 INDEXED BY event_segments_2_outdated
        WHERE events IS NULL AND ordering = ? AND (key, id) > (?, ?) ORDER BY key, id LIMIT 1
        """
    /// The segment before another one.
    static let former: StaticString = """
        SELECT key, id FROM event_segments_2
        WHERE ordering = ? AND (key, id) < (?, ?) ORDER BY key DESC, id DESC LIMIT 1
        """
    /// The segments from the one of a position on.
    ///
    /// The content of those outside of edges is empty. The index has the edges, so SQLite doesn't
    /// read the content of these from the table.
    static let from: StaticString = """
        SELECT key, id, CASE
            WHEN north >= ?4 AND south <= ?5 AND east >= ?6 AND west <= ?7 THEN events ELSE x''
        END
        FROM event_segments_2 INDEXED BY event_segments_2_key
        WHERE ordering = ?1 AND (key, id) >= (?2, ?3) ORDER BY key, id
        """
    /// The segments of a key that end before an id, the last one first.
    static let before: StaticString = """
        SELECT key, id, events FROM event_segments_2
        WHERE ordering = ? AND key = ? AND id < ? ORDER BY id DESC
        """
    /// The end key of the segment at an offset from that of a position.
    static let keyAt: StaticString = """
        SELECT key FROM event_segments_2
        WHERE ordering = ? AND (key, id) >= (?, ?) ORDER BY key, id LIMIT 1 OFFSET ?
        """
    /// Stores a segment: its ordering, key, id, edges and content.
    static let store: StaticString = """
        INSERT INTO event_segments_2 (ordering, key, id, south, north, west, east, events)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    /// Removes the segment that ends at a position.
    static let remove: StaticString = """
        DELETE FROM event_segments_2 WHERE ordering = ? AND key = ? AND id = ?
        """
    /// Declares the segment after a position outdated.
    static let outdateNext: StaticString = """
        UPDATE event_segments_2
        SET events = NULL, south = -90, north = 90, west = -180, east = 180
        WHERE ordering = ?1 AND (key, id) = (
            SELECT key, id FROM event_segments_2
            WHERE ordering = ?1 AND (key, id) > (?2, ?3) ORDER BY key, id LIMIT 1
        )
        """

    /// The events of a key in a range of ids, from the table.
    ///
    /// The columns are those of `EventKeys`, then the key.
    static func events(ofKeyIn order: EventSegment.Order) -> StaticString {
        switch order {
        case .cells:
            """
            SELECT id, owner_id, latitude, longitude, started_at, ended_at, cell
            FROM events WHERE cell = ? AND id >= ? AND id <= ? ORDER BY id LIMIT ?
            """
        case .owners:
            """
            SELECT id, owner_id, latitude, longitude, started_at, ended_at, owner_id
            FROM events INDEXED BY events_owner_id
            WHERE owner_id = ? AND id >= ? AND id <= ? ORDER BY id LIMIT ?
            """
        }
    }

    /// The events of an owner in a range of ids, the last one first.
    static let lastEventsOfOwner: StaticString = """
        SELECT id, owner_id, latitude, longitude, started_at, ended_at
        FROM events INDEXED BY events_owner_id
        WHERE owner_id = ? AND id >= ? AND id <= ? ORDER BY id DESC LIMIT ?
        """

    /// The events between two keys.
    static func events(betweenKeysIn order: EventSegment.Order) -> StaticString {
        switch order {
        case .cells:
            """
            SELECT id, owner_id, latitude, longitude, started_at, ended_at, cell
            FROM events WHERE cell > ? AND cell < ? ORDER BY cell, id LIMIT ?
            """
        case .owners:
            """
            SELECT id, owner_id, latitude, longitude, started_at, ended_at, owner_id
            FROM events INDEXED BY events_owner_id
            WHERE owner_id > ? AND owner_id < ? ORDER BY owner_id, id LIMIT ?
            """
        }
    }
}
