/// Following what changes in a region, or in the token's user's own records.
public struct Changes: Sendable {
    let transport: Transport

    /// Returns the changes since a cursor, or the records of the filter from the beginning.
    ///
    /// Each record has at most one change. If `hasMore`, request the next page at once; otherwise
    /// the copy is complete. A cursor that can't be continued throws `gone`: begin again without
    /// one, in a new copy. With `wait`, up to 60 s, the server waits for a change.
    @concurrent public func page(
        _ filter: ChangeFilter,
        since cursor: Cursor? = nil,
        wait: Duration = .zero
    ) async throws(HumonError) -> ChangePage {
        let seconds = min(max(0, wait.components.seconds), 60)
        return try await transport.send(filter.call("changes", since: cursor, seconds)).decode()
    }

    /// Returns the changes since a cursor as they happen; nothing is sent until they are read.
    ///
    /// It connects again whenever the connection is lost, and misses nothing. It finishes when the
    /// token ends, and when the task is cancelled.
    public func stream(_ filter: ChangeFilter, since cursor: Cursor? = nil) -> ChangeStream {
        ChangeStream(transport, filter, since: cursor)
    }
}

/// The records whose changes are followed.
public struct ChangeFilter: Hashable, Sendable {
    private let query: EventQuery

    /// The events and attendances of the token's user, and the attendances of the user's events.
    public static let mine = ChangeFilter(query: .all.setting("mine", "1", needsToken: true))

    /// Returns the filter for the public events of a region of up to 200 km, such as
    /// `.region(.near(here, radius: .kilometers(5)))`.
    ///
    /// The query can also have words, categories, tags, statuses and fixed times.
    public static func region(_ query: EventQuery) -> ChangeFilter { ChangeFilter(query: query) }

    func call(_ path: String, since cursor: Cursor?, _ wait: Int64 = 0) -> Call {
        let query = query.setting("since", cursor?.rawValue)
        var call = Call.search(path, wait > 0 ? query.setting("wait", "\(wait)") : query)
        call.moreTime = .seconds(wait)
        return call
    }
}

extension Cursor {
    /// The beginning: all records come first.
    public static let beginning = Cursor(rawValue: "0")
    /// The present: only later changes come.
    public static let now = Cursor(rawValue: "now")
}

/// A page of changes.
public struct ChangePage: Hashable, Sendable, Decodable {
    /// The changes, in the order in which to apply them.
    public let changes: [Change]
    /// The position after them, to store in the same transaction.
    public let cursor: Cursor
    /// Whether there are more changes already.
    public let hasMore: Bool

    private enum CodingKeys: String, CodingKey {
        case changes, cursor
        case hasMore = "more"
    }
}

/// A change of a record.
public struct Change: Hashable, Sendable, Decodable {
    /// The kinds of changes; ignore others.
    public struct Operation: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The record is new in the filter: store it.
        public static let enter = Operation(rawValue: "enter")
        /// The record has changed: store it.
        public static let change = Operation(rawValue: "change")
        /// The record is no longer in the filter: delete it from the copy.
        public static let leave = Operation(rawValue: "leave")
    }

    /// The kind of the change.
    public let operation: Operation
    /// The type of the record: `event`, `attendance`, or one of later servers.
    public let type: String
    /// The id, which is unique within the type.
    public let id: Int64
    /// The version to send as `ifMatch`, of a record that is in the filter.
    public var version: String? { tag.map { "\"\($0)\"" } }
    /// The event, of a change of one.
    public let event: Event?
    /// The attendance, of a change of one.
    public let attendance: Attendance?
    private let tag: String?

    private enum CodingKeys: String, CodingKey {
        case type, id, event, attendance
        case operation = "op"
        case tag = "version"
    }
}
