import Glibc
import Logging
import Rules
import System

/// Returns the document with an issuer's keys at a URL.
package typealias KeyFetch = @Sendable (_ url: String) throws(KeyError) -> [UInt8]

/// The keys of one issuer, which requests read and one thread fetches.
final class IssuerKeys: Sendable {
    private static let firstRetry: Int64 = 30_000
    private static let fileRefresh: Int64 = 60_000
    /// How long keys are used without a successful fetch, in ms.
    private static let longestAge: Int64 = 86_400_000
    /// The shortest time between two fetches because of unknown keys, in ms.
    private static let requestPause: Int64 = 30_000
    /// The number of requests that can wait for a fetch.
    private static let maximumWaiters = 64
    /// How often a waiting request looks whether the fetch has ended, and the time between, in ms.
    private static let (looks, lookPause) = (100, 50)

    /// The answer to a request for a key.
    private enum Answer {
        case key(PublicKey)
        case unknown, unavailable
        /// The request must wait for a fetch, which is running or, if `isNew`, must be started.
        case fetch(isNew: Bool)
    }

    private struct State {
        var set: KeySet?
        /// The size, time and inode of the file that the keys are from.
        var file: [Int] = []
        /// When the latest fetch succeeded.
        var fetched: Int64?
        /// When the next fetch is due.
        var due: Int64 = 0
        /// When a request last caused a fetch.
        var requested: Int64?
        var isFetching = true
        var waiters = 0
        var failuresInRow = 0
        var successes: UInt64 = 0
        var failures: UInt64 = 0
        var error: String?

        /// Returns the key for a request, which may cause a fetch.
        mutating func answer(_ name: String, _ now: Int64, hasWaited: Bool) -> Answer {
            let isFresh = fetched.map { now - $0 < longestAge } ?? false
            if isFresh, let key = set?[name] { return .key(key) }
            if isFetching, hasWaited { return .fetch(isNew: false) }
            if hasWaited { return isFresh && error == nil ? .unknown : .unavailable }
            if !isFetching, let requested, now - requested < requestPause {
                return isFresh ? .unknown : .unavailable
            }
            guard waiters < maximumWaiters else { return .unavailable }
            waiters += 1
            defer { isFetching = true }
            if !isFetching { requested = now }
            return .fetch(isNew: !isFetching)
        }
    }

    let issuer: Issuer
    private let library: Libcrypto
    private let refresh: Int64
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Creates an empty set; `refresh` is the time between fetches from a URL in ms.
    init(
        of issuer: Issuer,
        _ library: Libcrypto,
        refresh: Int64,
        uptime: @escaping @Sendable () -> Int64
    ) {
        self.issuer = issuer
        self.library = library
        self.refresh = issuer.hasURL ? refresh : Self.fileRefresh
        self.uptime = uptime
    }

    /// The time in ms until a fetch is due; 0 if it is.
    var millisecondsUntilDue: Int64 {
        state.withLock { $0.isFetching ? 0 : max(0, $0.due - uptime()) }
    }

    /// The state for the operator.
    var status: KeyStatus {
        state.withLock { state in
            KeyStatus(
                issuer: issuer,
                keys: state.set?.entries ?? [],
                ageSeconds: state.fetched.map { (uptime() - $0) / 1000 },
                successes: state.successes,
                failures: state.failures,
                error: state.error
            )
        }
    }

    /// Returns the key with this name.
    ///
    /// If it is unknown or the keys are too old, it waits for a fetch, which `wake` starts.
    func key(_ name: String, wake: () -> Void) async throws(ModelError) -> PublicKey {
        var hasWaited = false
        defer { if hasWaited { state.withLock { $0.waiters -= 1 } } }
        for _ in 0..<Self.looks {
            switch state.withLock({ $0.answer(name, uptime(), hasWaited: hasWaited) }) {
            case .key(let key): return key
            case .unknown: throw .unknownKey
            case .unavailable: throw .missingKeys(of: issuer)
            case .fetch(let isNew):
                hasWaited = true
                if isNew { wake() }
            }
            try? await Task.sleep(for: .milliseconds(Self.lookPause))
        }
        throw .missingKeys(of: issuer)
    }

    /// Fetches the keys; blocks for 5 s at most.
    func fetch(_ fetch: KeyFetch, _ logger: Logger?) {
        let file = state.withLock { state in
            state.isFetching = true
            return state.file
        }
        do throws(KeyError) {
            let (set, newFile) = try read(fetch, after: file)
            finish(set, newFile)
            for entry in set?.entries ?? [] where entry.isRepeated {
                logger?.log(
                    .warning,
                    "key ignored: an earlier one has the same kid",
                    ["issuer": issuer.name, "kid": entry.name]
                )
            }
        } catch {
            let age = fail(error).map { String($0 / 1000) } ?? "none"
            logger?.log(
                .warning,
                "keys not fetched",
                ["issuer": issuer.name, "error": error.reason, "age_s": age]
            )
        }
    }

    /// Returns the keys and the state of their file; no keys if the file has not changed.
    private func read(
        _ fetch: KeyFetch,
        after known: [Int]
    ) throws(KeyError) -> (KeySet?, file: [Int]) {
        if issuer.hasURL { return (try KeySet(fetch(issuer.keys), library), []) }
        let file = LocalFile.status(issuer.keys).map { status in
            [
                Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                Int(truncatingIfNeeded: status.st_ino),
            ]
        }
        if let file, file == known { return (nil, file) }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.bytes(at: issuer.keys, maximum: KeySet.maximumBytes)
        } catch {
            throw KeyError(error.reason)
        }
        return (try KeySet(bytes, library), file ?? [])
    }

    private func finish(_ set: KeySet?, _ file: [Int]) {
        state.withLock { state in
            if let set { state.set = set }
            state.file = file
            state.fetched = uptime()
            state.successes += 1
            state.failuresInRow = 0
            state.error = nil
            state.due = uptime() + refresh * Int64.random(in: 90...110) / 100
            state.isFetching = false
        }
    }

    /// Notes a failed fetch, which leaves the keys as they are, and returns their age in ms.
    private func fail(_ error: KeyError) -> Int64? {
        state.withLock { state in
            state.due = uptime() + min(Self.firstRetry << min(state.failuresInRow, 12), refresh)
            state.failures += 1
            state.failuresInRow += 1
            state.error = error.reason
            state.isFetching = false
            return state.fetched.map { uptime() - $0 }
        }
    }
}
