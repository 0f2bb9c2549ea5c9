import Model
import PostgreSQL

/// The rows of the log for the server's own changes, on engines without the triggers.
enum ChangeNote {
    /// Returns the note of a change of an event: `owner` and `place` are those before the change,
    /// nil if they are unknown, and `existed` is false for a new event.
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

    /// Returns the note of a change of a user's attendance; the event is nil if it is unknown.
    static func attendance(of user: Int64, at event: Int64?) -> [Value] {
        note(.attendance, user, event)
    }

    /// Returns the note of a change of an account's task.
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

    /// Returns the command that writes notes to the log, each with the id of its record first.
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
