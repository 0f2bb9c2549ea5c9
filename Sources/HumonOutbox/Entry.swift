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
    }

    /// The position in the outbox.
    public let id: Int64
    /// The user who made it; nil if the device had no user.
    public let userID: User.ID?
    /// The kind.
    public let kind: Kind
    /// The event or attendance.
    public let record: Record
    /// The server's reason for rejecting it, as a sentence; nil while it waits.
    public let error: String?
    /// The kind of that error; nil while it waits.
    public let errorKind: HumonError.Kind?
    /// The number of attempts that have failed.
    public let attempts: Int
    /// The time of the first attempt, or nil.
    public let firstSent: Date?

    /// The event that it attends, or nil.
    let event: Record?
    /// Key, JSON and `If-Match` of its request.
    let key: String
    let body: Data?
    let version: String?

    /// Reads a row of the file.
    init?(_ row: Database.Row) {
        guard let id = row["id"] as? Int64, let key = row["key"] as? String,
            let kind = (row["kind"] as? Int64).flatMap(Kind.init),
            let record = Record(text: row["record"])
        else { return nil }
        (self.id, self.key, self.kind, self.record) = (id, key, kind, record)
        event = Record(text: row["event"])
        userID = row["user"] as? Int64
        body = row["body"] as? Data
        version = row["if_match"] as? String
        attempts = Int(row["attempts"] as? Int64 ?? 0)
        firstSent = (row["first_sent"] as? Double).map(Date.init(timeIntervalSince1970:))
        error = row["error"] as? String
        errorKind = (row["error_kind"] as? String).flatMap(HumonError.Kind.init)
    }
}

extension Record {
    /// Reads a text such as `event/7`, or with a UUID in place of the id.
    init?(text: Database.Value) {
        let name = (text as? String)?.split(separator: "/").last.map(String.init) ?? ""
        let stored = Int64(name).map(Record.stored)
        guard let record = stored ?? UUID(uuidString: name).map(Record.local) else { return nil }
        self = record
    }

    /// Returns the text of the record of a write.
    func text(of kind: Entry.Kind) -> String {
        let path = kind == .attend || kind == .cancel ? "attendance/" : "event/"
        return switch self {
        case .stored(let id): path + "\(id)"
        case .local(let uuid): path + uuid.uuidString
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

extension OutboxError {
    /// The error of a file that is no sound database.
    static let damaged = OutboxError.storage("The file is damaged.")
}
