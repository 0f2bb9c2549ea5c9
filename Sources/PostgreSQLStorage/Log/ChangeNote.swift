import Events
import PostgreSQL
import SharedStorage

/// The rows of the log for the server's own changes, on engines without the triggers.
enum ChangeNote {
    /// Returns the note of a new event.
    static func newEvent(of owner: Int64) -> [Value] { [.bigint(owner)] + note(.event, nil) }

    /// Returns the note of new events, whose owners are in the rows.
    static func events() -> [Value] { note(.event, nil) }

    /// Returns the note of changes of blocks, whose owners and users are in the rows.
    static func blocks() -> [Value] { note(.block, nil) }

    /// Returns the note of a change of a user's name.
    static func user() -> [Value] { note(.user, nil) }

    /// Returns the note of a change of an event, with its values before the change.
    static func event(of owner: Int64, wasPublic: Bool, at place: Coordinate) -> [Value] {
        [
            .bigint(owner), .bigint(LoggedKind.event.rawValue), .bigint(nil),
            .bigint(wasPublic ? 1 : 0), .double(place.latitude), .double(place.longitude),
        ]
    }

    /// Returns the note of changes of attendances of an event, whose users are in the rows.
    static func attendances(at event: Int64) -> [Value] { note(.attendance, event) }

    /// The note of the end of an attendance, whose row also has the kind and the event.
    static let deletedAttendance: [Value] = [.bigint(nil), .double(nil), .double(nil)]

    /// Returns the note of a change of an account's task; the account is nil if it is unknown.
    static func task(of account: Int64?) -> [Value] { [.bigint(account)] + note(.task, nil) }

    private static func note(_ kind: LoggedKind, _ event: Int64?) -> [Value] {
        [.bigint(kind.rawValue), .bigint(event), .bigint(nil), .double(nil), .double(nil)]
    }

    /// Returns the command that writes notes to the log: the id of the record, its user, and the
    /// rest of what the functions above return.
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
