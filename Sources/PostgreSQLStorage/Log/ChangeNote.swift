import Model
import PostgreSQL

/// What the server writes to the log about its own changes, on engines without the triggers.
enum ChangeNote {
    /// The note of a change of an event.
    ///
    /// - Parameters:
    ///   - owner: The owner before the change; nil if it is unknown.
    ///   - existed: Whether it existed before the change.
    ///   - place: The place before the change; nil if it is unknown.
    static func event(
        of owner: Int64? = nil,
        existed: Bool,
        at place: Coordinate? = nil
    ) -> [Value] {
        [
            .bigint(LoggedChange.Kind.event.rawValue), .bigint(owner), .bigint(nil),
            .bigint(existed ? 1 : nil), .double(place?.latitude), .double(place?.longitude),
        ]
    }

    /// The note of a change of an attendance.
    ///
    /// - Parameters:
    ///   - user: The user who attends.
    ///   - event: The event; nil if it is unknown.
    static func attendance(of user: Int64, at event: Int64?) -> [Value] {
        note(.attendance, user, event)
    }

    /// The note of a change of a task.
    static func task(of account: Int64) -> [Value] { note(.task, account, nil) }

    private static func note(
        _ kind: LoggedChange.Kind,
        _ user: Int64,
        _ event: Int64?
    ) -> [Value] {
        [
            .bigint(kind.rawValue), .bigint(user), .bigint(event), .bigint(nil), .double(nil),
            .double(nil),
        ]
    }

    /// The command that writes notes to the log, each with the id of its record first.
    static func command(_ notes: [[Value]], now: Int64) -> Command {
        let positions = Value.bigints(notes.indices.map { Int64($0) + 1 })
        let columns = (0..<7).map { column in
            Value.array(notes.map { $0.indices.contains(column) ? $0[column] : .bigint(nil) })
        }
        return Command(
            LogStatements.add,
            [.bigint(Int64(notes.count)), .bigint(now), positions] + columns
        )
    }
}
