package import Time

/// A receiver of changes by HTTP, which an operator has added.
package struct Webhook: Equatable, Sendable {
    /// A kind of record whose changes are sent.
    package enum Kind: String, CaseIterable, Sendable {
        case event, attendance
    }

    package let id: Int64
    package let settings: Settings
    package let former: FormerSecret?
    package let createdAt: Timestamp
    package var progress: Progress

    package init(
        id: Int64,
        _ settings: Settings,
        former: FormerSecret?,
        createdAt: Timestamp,
        _ progress: Progress
    ) {
        self.id = id
        self.settings = settings
        self.former = former
        self.createdAt = createdAt
        self.progress = progress
    }

    /// The salt of a secret that was replaced, and when its signatures end.
    package struct FormerSecret: Equatable, Sendable {
        package let salt: [UInt8]
        package let until: Timestamp

        package init(salt: [UInt8], until: Timestamp) {
            (self.salt, self.until) = (salt, until)
        }
    }

    /// The choices of an operator.
    package struct Settings: Equatable, Sendable {
        /// The greatest length of a URL and of a filter, in characters.
        package static let (longestURL, longestFilter) = (2000, 4000)

        package let url: String
        /// The 16 random bytes from which the secret is made.
        package let salt: [UInt8]
        package let kinds: Set<Kind>
        /// The filter as the query of a URL; empty for all public events.
        package let filter: String
        /// The maximum number of changes in a message.
        package let batch: Int
        /// Whether private addresses and HTTP are allowed.
        package let allowsPrivate: Bool

        package init(
            url: String,
            salt: [UInt8],
            kinds: Set<Kind>,
            filter: String,
            batch: Int,
            allowsPrivate: Bool
        ) {
            self.url = url
            self.salt = salt
            self.kinds = kinds
            self.filter = filter
            self.batch = batch
            self.allowsPrivate = allowsPrivate
        }

        /// The scheme, the host and the port, which may be logged.
        package var origin: String {
            let authority = url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
            return String(url[..<authority.endIndex])
        }
    }

    /// A message, stored before its first byte is sent: a fixed part of the log or of the view.
    package enum Message: Equatable, Sendable {
        /// The changes up to this number of the log.
        case changes(Int64)
        /// The receiver forgets what it has, and follows the log from this number on.
        case reset(Int64)
        /// The events up to this id.
        case snapshot(Int64)

        package init?(_ text: String) {
            let words = text.split(separator: " ")
            guard words.count == 2, let number = Int64(words[1]) else { return nil }
            switch words[0] {
            case "changes": self = .changes(number)
            case "reset": self = .reset(number)
            case "snapshot": self = .snapshot(number)
            default: return nil
            }
        }

        /// The text in the database, such as `changes 1046`.
        package var text: String {
            switch self {
            case .changes(let number): "changes \(number)"
            case .reset(let number): "reset \(number)"
            case .snapshot(let id): "snapshot \(id)"
            }
        }
    }

    /// How far the receiver has come.
    package struct Progress: Equatable, Sendable {
        /// The log and the number up to which the receiver has acknowledged changes.
        package var epoch: String
        package var cursor: Int64
        /// The id of the last event that a snapshot has sent; nil without a snapshot.
        package var snapshotID: Int64?
        /// The message that is being sent.
        package var message: Message?
        /// The number of failures since the last success.
        package var attempts = 0
        package var failingSince: Timestamp?
        package var nextAttemptAt = Timestamp(milliseconds: 0)
        /// The last status or error.
        package var lastResult: String?
        package var disabledAt: Timestamp?

        /// Creates the progress of a webhook that begins after a position of the log.
        package init(after position: ChangePosition, snapshotID: Int64? = nil) {
            (epoch, cursor) = (position.log, position.number)
            self.snapshotID = snapshotID
        }

        /// Ends the failures.
        package mutating func clearFailures() {
            (attempts, failingSince, disabledAt) = (0, nil, nil)
            nextAttemptAt = Timestamp(milliseconds: 0)
        }

        /// Moves on after the message, which was sent with this epoch.
        package mutating func finishMessage(_ epoch: String) {
            switch message {
            case .changes(let end): cursor = end
            case .reset(let end): (self.epoch, cursor, snapshotID) = (epoch, end, 0)
            case .snapshot(let id): snapshotID = id
            case nil: break
            }
            message = nil
        }
    }
}

/// How far a webhook is behind the log.
package struct WebhookBacklog: Equatable, Sendable {
    /// The number of changes in the log after the cursor.
    package let changes: Int64
    /// The time of the first of these changes; nil without one.
    package let oldest: Timestamp?
    /// Whether the log lacks changes after the cursor.
    package let isPruned: Bool

    package init(changes: Int64, oldest: Timestamp?, isPruned: Bool) {
        self.changes = changes
        self.oldest = oldest
        self.isPruned = isPruned
    }
}

/// A store of webhooks.
///
/// Failures are as in `UserStore`. `ModelError.notFound` means that there is no such webhook.
package protocol WebhookStore: Sendable {
    /// Returns all webhooks by id, each with what it is behind.
    func all() async throws -> [(webhook: Webhook, backlog: WebhookBacklog)]

    /// Adds a webhook, writes the audit, and returns the id.
    ///
    /// Throws `ModelError.conflict` if there are as many as the limit.
    func add(
        _ settings: Webhook.Settings,
        _ progress: Webhook.Progress,
        limit: Int,
        by actor: String
    ) async throws -> Int64

    /// Deletes a webhook, and writes the audit.
    func remove(_ id: Int64, by actor: String) async throws

    /// Replaces the salt, keeps the former one until a time, and writes the audit.
    func rotate(_ id: Int64, salt: [UInt8], until: Timestamp, by actor: String) async throws

    /// Ends the failures of a webhook, and writes the audit.
    ///
    /// `epoch` is that of the log if its message is to be skipped, or else nil.
    func resume(_ id: Int64, skippingIn epoch: String?, by actor: String) async throws

    /// Stores the progress of a webhook, unless it has changed or another node has the lease.
    ///
    /// - Parameters:
    ///   - progress: The new progress.
    ///   - webhook: The webhook with the progress as it was.
    ///   - node: Identifies the server.
    ///   - now: The time, at which a lease of another node may have ended.
    ///   - leaseEnd: Until when no other server sends messages.
    /// - Returns: Whether it was stored.
    /// - Throws: The errors of other stores.
    func store(
        _ progress: Webhook.Progress,
        of webhook: Webhook,
        by node: String,
        now: Timestamp,
        leaseEnd: Timestamp
    ) async throws -> Bool
}
