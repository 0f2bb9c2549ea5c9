public import Foundation
public import HumonClient

/// An event or attendance, which the server may not know yet.
public enum Record: Hashable, Sendable {
    /// A record of the server, with its id.
    case stored(Int64)
    /// A record that was made on this device; `Outbox.id(of:)` returns its id after it is sent.
    case local(UUID)
}

/// A write in the outbox.
public struct Entry: Identifiable, Hashable, Sendable {
    /// The kinds of writes.
    public enum Kind: Int64, Hashable, Sendable {
        /// Creates an event.
        case create = 1
        /// Changes an event.
        case update = 2
        /// Deletes an event.
        case delete = 3
        /// Attends an event.
        case attend = 4
        /// Ends an attendance.
        case cancel = 5

        /// Whether the write makes the record that it is about.
        var makesRecord: Bool { self == .create || self == .attend }
        /// Whether it is about an attendance, not an event.
        var isOfAttendance: Bool { self == .attend || self == .cancel }
    }

    /// The position in the outbox.
    public let id: Int64
    /// The user who made it; nil if the device had no user.
    public let userID: User.ID?
    /// The kind.
    public let kind: Kind
    /// The event or attendance.
    public let record: Record
    /// The server's reason for rejecting it; nil while it waits.
    public let error: String?
    /// The number of attempts that have failed.
    public let attempts: Int
    /// The time of the first attempt, or nil.
    public let firstSent: Date?

    /// Key, record in the file, JSON or the attended event, and `If-Match`.
    let key: String
    let recordText: String
    let body: Data?
    let version: String?

    static let columns =
        "id, user, key, record, kind, body, if_match, attempts, first_sent, state, error"

    /// Reads a row of `columns`.
    init?(_ row: [Database.Value]) {
        guard row.count == 11, let id = row[0] as? Int64, let key = row[2] as? String,
            let recordText = row[3] as? String, let record = Record(text: recordText),
            let kind = (row[4] as? Int64).flatMap(Kind.init)
        else { return nil }
        (self.id, self.key, self.kind) = (id, key, kind)
        (self.record, self.recordText) = (record, recordText)
        userID = row[1] as? Int64
        body = row[5] as? Data
        version = row[6] as? String
        attempts = Int(row[7] as? Int64 ?? 0)
        firstSent = (row[8] as? Int64).map { Date(milliseconds: $0) }
        // The state of a rejected entry is 1, and that of others is 0.
        error = row[9] as? Int64 == 1 ? row[10] as? String ?? "" : nil
    }
}

extension Date {
    /// The time since 1970 as the file has it.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Record {
    /// Reads the text of a record: a UUID, or such as `event/7`.
    init?(text: String) {
        if let uuid = UUID(uuidString: text) {
            self = .local(uuid)
        } else if let id = text.split(separator: "/").last.flatMap({ Int64($0) }) {
            self = .stored(id)
        } else {
            return nil
        }
    }

    /// Returns the text of the record of a write.
    func text(of kind: Entry.Kind) -> String {
        switch self {
        case .stored(let id): (kind.isOfAttendance ? "attendance/" : "event/") + "\(id)"
        case .local(let uuid): uuid.uuidString
        }
    }
}

/// Something that has happened in the outbox.
public enum News: Hashable, Sendable {
    /// The server has stored a write.
    case sent(Entry)
    /// The server has rejected a write; the app decides what happens to it.
    case rejected(Entry, HumonError)
    /// The next attempt is at this time, or earlier if the network comes back.
    case waiting(until: Date)
    /// Nothing is sent for a while, or until a user signs in (`unauthorized`, `noToken`).
    ///
    /// The kind `tokenStore` can also mean that the outbox's file can't be written.
    case paused(HumonError)
    /// Nothing is left to send, except entries that were rejected and those that wait for them.
    case idle
    /// The file was damaged, and is now at this place; a new one was begun. It comes first.
    case broken(URL)
}

/// An error of the outbox, which has stored nothing.
public enum OutboxError: LocalizedError, Hashable, Sendable {
    /// Another outbox uses the file.
    case inUse
    /// The outbox has 10,000 entries, or the write is larger than 1 MiB.
    case full
    /// The entry is not there, was not rejected, can't be replaced, or is being sent.
    case noSuchEntry
    /// The local record is not one of this outbox, or is not an event or attendance as needed.
    case noSuchRecord
    /// The file can't be used, for example because the disk is full.
    case storage(String)

    /// A sentence in English.
    public var errorDescription: String? {
        switch self {
        case .inUse: "The outbox is in use."
        case .full: "Too many changes wait to be sent."
        case .noSuchEntry: "The change is not in the outbox, or is being sent."
        case .noSuchRecord: "The outbox doesn't know the record."
        case .storage(let message): "The change can't be stored: \(message)"
        }
    }
}
