import Glibc
import Logging
import System
import Time

/// Makes a GET request for keys; the function tells whether to give up.
package typealias KeyFetch =
    @Sendable (_ url: String, _ isCancelled: @escaping @Sendable () -> Bool) throws(KeyError) ->
    HTTPSResponse

/// The keys of one issuer, which requests read and one thread fetches.
final class IssuerKeys: Sendable {
    typealias Found = Result<PublicKey, IDTokenError>

    /// The times of fetches, in ms.
    private enum Period {
        static let firstRetry: Int64 = 30_000
        static let file: Int64 = 60_000
        /// How long keys are used without a successful fetch.
        static let longestAge: Int64 = 86_400_000
        /// The shortest time between two fetches because of unknown keys.
        static let unknownKey: Int64 = 30_000
        /// How long a request waits for a fetch.
        static let wait: Int64 = 5000
    }

    /// The number of requests that can wait for a fetch.
    private static let maximumWaiters = 64

    /// A request that waits for a fetch.
    private struct Waiter {
        let key: String
        let continuation: CheckedContinuation<Found, Never>
    }

    private struct State {
        var set: KeySet?
        /// When the latest fetch succeeded.
        var fetched: Int64?
        /// When the next fetch is due.
        var due: Int64 = 0
        /// When a request last caused a fetch.
        var requested: Int64?
        /// Whether a fetch is running or about to begin.
        var isFetching = true
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
        /// The state of the file that the keys are from.
        var file: FileState?
        /// How many fetches have failed since the latest success.
        var failuresInRow = 0
        var successes: UInt64 = 0
        var failures: UInt64 = 0
        var error: String?
        var clockOffset: Int64?

        /// Returns whether keys may be used at a time.
        func isFresh(_ now: Int64) -> Bool {
            fetched.map { now - $0 < Period.longestAge } ?? false
        }

        /// Ends the fetch, and returns the requests that waited for it.
        mutating func endFetch() -> [Waiter] {
            defer { waiters = [:] }
            isFetching = false
            return Array(waiters.values)
        }
    }

    let issuer: Issuer
    private let library: Libcrypto
    private let refreshMilliseconds: Int64
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(State())

    init(
        of issuer: Issuer,
        _ library: Libcrypto,
        refreshMilliseconds: Int64,
        uptime: @escaping @Sendable () -> Int64
    ) {
        self.issuer = issuer
        self.library = library
        if case .file = issuer.keys {
            self.refreshMilliseconds = Period.file
        } else {
            self.refreshMilliseconds = refreshMilliseconds
        }
        self.uptime = uptime
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
                error: state.error,
                clockOffset: state.clockOffset
            )
        }
    }

    /// The time in ms until a fetch is due; 0 if it is.
    var millisecondsUntilDue: Int64 {
        state.withLock { $0.isFetching ? 0 : max(0, $0.due - uptime()) }
    }

    // MARK: Requests

    /// Returns the key with this name.
    ///
    /// If it is unknown or the keys are too old, it waits for a fetch, which `wake` causes.
    func key(_ name: String, wake: () -> Void) async throws(IDTokenError) -> PublicKey {
        let now = uptime()
        let known = state.withLock { $0.isFresh(now) ? $0.set?[name] : nil }
        if let known { return known }
        let found: Found = await withCheckedContinuation { enter(name, now, wake, $0) }
        return try found.get()
    }

    private func enter(
        _ name: String,
        _ now: Int64,
        _ wake: () -> Void,
        _ continuation: CheckedContinuation<Found, Never>
    ) {
        let unavailable = Found.failure(.unavailable(issuer: issuer.name))
        var mustWake = false
        let (found, id) = state.withLock { state -> (Found?, Int) in
            if !state.isFetching {
                if let requested = state.requested, now - requested < Period.unknownKey {
                    guard state.isFresh(now) else { return (unavailable, 0) }
                    // The fetch may have ended just now.
                    return (state.set?[name].map(Found.success) ?? .failure(.unknownKey), 0)
                }
                state.requested = now
                state.isFetching = true
                mustWake = true
            }
            guard state.waiters.count < Self.maximumWaiters else { return (unavailable, 0) }
            state.waiterCount += 1
            state.waiters[state.waiterCount] = Waiter(key: name, continuation: continuation)
            return (nil, state.waiterCount)
        }
        if mustWake { wake() }
        if let found { return continuation.resume(returning: found) }
        Task {
            try? await Task.sleep(for: .milliseconds(Period.wait))
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: unavailable)
        }
    }

    // MARK: Fetches

    /// Fetches the keys and answers the requests that wait for it; blocks for 5 s at most.
    func refresh(
        _ fetch: KeyFetch?,
        _ logger: Logger?,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        let file = state.withLock { state in
            state.isFetching = true
            return state.file
        }
        do throws(KeyError) {
            let fetched = try read(fetch, after: file, isCancelled)
            finish(fetched)
            for entry in fetched?.set.entries ?? [] where entry.isRepeated {
                logger?.log(
                    .warning,
                    "key ignored: an earlier key has the same kid",
                    ["issuer": issuer.name, "kid": entry.name]
                )
            }
        } catch {
            guard !isCancelled() else { return }
            let age = fail(error)
            logger?.log(
                .warning,
                "keys not fetched",
                ["issuer": issuer.name, "error": error.reason, "age_s": age]
            )
        }
    }

    /// Ends the wait of all requests.
    func stop() {
        answer(state.withLock { $0.endFetch() }, from: nil)
    }

    private struct Fetched {
        let set: KeySet
        var file: FileState?
        var clockOffset: Int64?
    }

    /// Returns the keys, or nil if they are those of a file that has not changed.
    private func read(
        _ fetch: KeyFetch?,
        after known: FileState?,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(KeyError) -> Fetched? {
        switch issuer.keys {
        case .url(let url):
            guard let response = try fetch?(url, isCancelled) else { return nil }
            let offset = response.date.map { Timestamp.now().milliseconds - $0.milliseconds }
            return Fetched(set: try KeySet(response.body, library), clockOffset: offset)
        case .file(let path):
            let file = FileState(path)
            if let file, file == known { return nil }
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try SmallFile.bytes(at: path, maximum: KeySet.maximumBytes)
            } catch {
                throw KeyError(error.reason)
            }
            return Fetched(set: try KeySet(bytes, library), file: file)
        }
    }

    private func finish(_ fetched: Fetched?) {
        let now = uptime()
        let (waiters, set) = state.withLock { state in
            if let fetched {
                state.set = fetched.set
                state.file = fetched.file
                state.clockOffset = fetched.clockOffset
                state.successes += 1
            }
            state.fetched = now
            state.failuresInRow = 0
            state.error = nil
            state.due = now + refreshMilliseconds * Int64.random(in: 90...110) / 100
            return (state.endFetch(), state.set)
        }
        answer(waiters, from: set)
    }

    /// Notes a failed fetch, which leaves the keys as they are, and returns their age in seconds.
    private func fail(_ error: KeyError) -> String {
        let now = uptime()
        let (waiters, fetched) = state.withLock { state in
            let delay = Period.firstRetry << min(state.failuresInRow, 12)
            state.failuresInRow += 1
            state.failures += 1
            state.error = error.reason
            state.due = now + min(delay, refreshMilliseconds)
            return (state.endFetch(), state.fetched)
        }
        answer(waiters, from: nil)
        return fetched.map { String((now - $0) / 1000) } ?? "none"
    }

    private func answer(_ waiters: [Waiter], from set: KeySet?) {
        for waiter in waiters {
            let unavailable = Found.failure(.unavailable(issuer: issuer.name))
            let found = set.map { set in
                set[waiter.key].map(Found.success) ?? .failure(.unknownKey)
            }
            waiter.continuation.resume(returning: found ?? unavailable)
        }
    }
}

/// What changes when a file is replaced or written.
private struct FileState: Equatable {
    private let values: [Int]

    init?(_ path: String) {
        guard let status = LocalFile.status(path) else { return nil }
        values = [
            Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            Int(truncatingIfNeeded: status.st_ino),
        ]
    }
}
