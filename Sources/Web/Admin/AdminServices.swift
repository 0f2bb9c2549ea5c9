import HTTP
import Logging
import Model
import Rules
import Sodium
import System

/// The services that the controllers of the admin server share.
@dynamicMemberLookup
struct AdminServices: Sendable {
    /// The services of the API.
    let api: Services
    let surroundings: AdminSurroundings
    let version: String
    let logger: Logger
    let signIns = AdminSignIns()
    let downloads = DownloadKeys()

    /// Returns one of the services of the API, or one of the stores.
    subscript<Value>(dynamicMember member: KeyPath<Services, Value>) -> Value {
        api[keyPath: member]
    }

    /// Performs an action on a record, and logs it; returns its id in the audit, if it changed
    /// something.
    ///
    /// Throws the errors of `ModerationStore.perform`.
    @discardableResult
    func perform(
        _ action: AdminAction,
        _ record: ReportedRecord,
        by admin: Admin
    ) async throws -> Int64? {
        let id = try await api.moderation.perform(action, record, by: admin.name)
        if id != nil { log(action, record.noun, "\(record.id)", by: admin) }
        return id
    }

    /// Returns the response with a record that was changed, or with its id alone while the events
    /// are being loaded: the client must learn that the change is done.
    static func response(
        toChangeOf id: Int64,
        _ respond: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await respond()
        } catch ModelError.unavailable, ModelError.overloaded {
            return IDView.response(id)
        }
    }

    /// Logs what an admin has done.
    func log(_ action: AdminAction, _ kind: String, _ id: String, by admin: Admin) {
        logger.log(
            .info,
            "admin action",
            ["actor": admin.name, "action": action.rawValue, "kind": kind, "id": id]
        )
    }
}

/// Limits the sign-ins of admins, and hashes their passwords on a thread of their own, which the
/// first sign-in starts.
final class AdminSignIns: Sendable {
    private let hasher = Mutex<PasswordHasher?>(nil)
    private let address = RateLimiter(
        "admin-address",
        RateLimit(within: 10, per: .minute),
        clients: 1024
    )
    private let name = RateLimiter(
        "admin-name",
        RateLimit(within: 30, per: .hour),
        clients: 1024
    )
    private static let queuedPasswords = 4

    /// Counts a sign-in at a time in µs, or throws `RequestError.tooManyRequests`.
    func admit(_ address: IPAddress?, _ name: String, now: Int64) throws(RequestError) {
        do {
            try self.address.admit(client: RequestLimiter.key(address ?? .unknown), now: now)
            try self.name.admit(client: RequestLimiter.key(name), now: now)
        } catch {
            throw .tooManyRequests(error)
        }
    }

    /// Returns whether the hash is of this password; false without a hash, after the same work.
    func matches(_ password: String, hash: String?) async throws -> Bool {
        let hasher = try hasher.withLock { known in
            if let known { return known }
            let made = try PasswordHasher(threads: 1, queueLimit: Self.queuedPasswords)
            known = made
            return made
        }
        return try await hasher.matches(password, hash: hash)
    }

    /// The number of passwords that were checked.
    var totalHashes: Int { hasher.withLock { $0 }?.totalHashes ?? 0 }

    /// Ends the thread; blocks until then.
    func stop() {
        hasher.withLock { $0 }?.stop()
    }
}

/// Keys for downloads, each of which is valid once and for a minute.
final class DownloadKeys: Sendable {
    private struct Key {
        let digest: [UInt8]
        let name: String
        /// In µs.
        let end: Int64
    }

    private let keys = Mutex<[Key]>([])
    private static let mostKeys = 16
    private static let microseconds: Int64 = 60_000_000

    /// Returns a new key for a file; the oldest one ends if there are too many.
    ///
    /// `now` is in µs of the clock that `use` gets, too.
    func make(for name: String, now: Int64) -> String {
        let key = RandomText.make(length: RandomText.tokenLength, from: RandomBytes.make)
        let end = now + Self.microseconds
        keys.withLock { keys in
            keys.append(Key(digest: SHA256.digest(of: key), name: name, end: end))
            keys = keys.suffix(Self.mostKeys)
        }
        return key
    }

    /// Returns whether a key is valid for a file, and ends it.
    func use(_ key: String, for name: String, now: Int64) -> Bool {
        let digest = SHA256.digest(of: key)
        return keys.withLock { keys in
            keys.removeAll { $0.end <= now }
            let known = keys.firstIndex { $0.digest == digest && $0.name == name }
            guard let known else { return false }
            keys.remove(at: known)
            return true
        }
    }
}
