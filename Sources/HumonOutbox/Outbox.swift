public import Foundation
public import HumonClient

/// Writes that are made offline, and sent when the network is there.
///
/// Each call returns when the write is on the device's disk. It is then sent with the same key
/// until the server has accepted or rejected it, so nothing is lost and nothing is stored twice.
/// The outbox is no copy of the data: any local database can stand beside it.
///
/// Writes of one record are sent in order, and those of different records don't wait for each
/// other.
public actor Outbox {
    private let client: HumonClient
    private let queue: Queue
    private let observers = Locked<[UUID: AsyncStream<News>.Continuation]>([:])
    private let broken: URL?
    /// The factor of all pauses but the server's; tests have shorter ones.
    private let pace: Double
    private let willRun: @Sendable (String) -> Void
    private var running: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var session: Task<Void, Never>?
    private var surroundings: Surroundings?
    /// The entry that is being sent.
    private var inFlight: Entry.ID?
    /// Until when nothing is sent, and whether the server has said so.
    private var pausedUntil = ContinuousClock.now
    private var isServersPause = false
    /// The number of failures in a row that were not of one entry.
    private var failures = 0

    /// Opens an outbox, and begins to send what it has.
    ///
    /// - Parameters:
    ///   - client: The client that sends the writes.
    ///   - file: A file of the app, which is created if it doesn't exist. One outbox can use it.
    /// - Throws: `inUse` or `storage`.
    public init(client: HumonClient, file: URL) throws(OutboxError) {
        try self.init(client: client, file: file, pace: 1, willRun: { _ in })
    }

    /// Opens an outbox whose pauses are shorter by a factor, and which calls a function of tests
    /// before each statement and after each response.
    package init(
        client: HumonClient,
        file: URL,
        pace: Double,
        willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) {
        (self.client, self.pace, self.willRun) = (client, pace, willRun)
        queue = try Queue(file, willRun: willRun)
        broken = queue.broken
        client.transport.tokens.countUnsentWrites { [weak self] userID in
            await self?.count(of: userID) ?? 0
        }
        Task { [weak self] in await self?.begin() }
    }

    deinit {
        timer?.cancel()
        session?.cancel()
        for observer in observers.withLock({ Array($0.values) }) { observer.finish() }
    }

    private func begin() {
        let states = client.session.states
        session = Task { [weak self] in
            for await _ in states { await self?.resume() }
        }
        surroundings = Surroundings { [weak self] in
            Task { await self?.resume() }
        }
        start()
    }

    private func count(of userID: Int64?) -> Int { Int((try? queue.count(of: userID)) ?? 0) }

    // MARK: Writes

    /// Creates an event.
    public func create(_ draft: EventDraft) throws(OutboxError) -> Record {
        let record = Record.local(UUID())
        try add(.create, record, body: try Self.body(draft))
        return record
    }

    /// Changes an event; with a version, only if the event still has it.
    public func update(
        _ record: Record,
        _ changes: EventChanges,
        ifMatch version: String? = nil
    ) throws(OutboxError) {
        try add(.update, record, body: try Self.body(changes), version: version)
    }

    /// Deletes an event; with a version, only if the event still has it.
    public func delete(_ record: Record, ifMatch version: String? = nil) throws(OutboxError) {
        try add(.delete, record, version: version)
    }

    /// Attends an event, and returns the attendance.
    public func attend(_ event: Record) throws(OutboxError) -> Record {
        let record = Record.local(UUID())
        try add(.attend, record, of: event)
        return record
    }

    /// Ends an attendance.
    public func cancel(_ attendance: Record) throws(OutboxError) {
        try add(.cancel, attendance)
    }

    private func add(
        _ kind: Entry.Kind,
        _ record: Record,
        of event: Record? = nil,
        body: Data? = nil,
        version: String? = nil
    ) throws(OutboxError) {
        // Without it, another user could become the owner.
        guard let stored = try? client.transport.tokens.stored() else {
            throw .storage("The token can't be read now.")
        }
        try queue.add(kind, record, of: event, body, version, stored.userID)
        start()
    }

    private static func body(_ value: some Encodable) throws(OutboxError) -> Data {
        do {
            return try JSONEncoder().encode(value)
        } catch {
            throw .storage("\(error)")
        }
    }

    // MARK: Entries

    /// The writes that wait or were rejected, of all users, the oldest first.
    public var entries: [Entry] {
        get throws(OutboxError) { try queue.entries() }
    }

    /// Returns the server's id of a record, or nil while it is not sent.
    public func id(of record: Record) throws(OutboxError) -> Int64? { try queue.id(of: record) }

    /// Sends a rejected write again.
    public func retry(_ id: Entry.ID) throws(OutboxError) {
        try queue.renew(id, body: nil, version: nil)
        start()
    }

    /// Replaces the changes of a rejected write, and sends it again.
    ///
    /// If the write creates an event, the changes are applied to the attributes of that event.
    public func replace(
        _ id: Entry.ID,
        with changes: EventChanges,
        ifMatch version: String? = nil
    ) throws(OutboxError) {
        try queue.renew(id, body: try Self.body(changes), version: version)
        start()
    }

    /// Removes a write that is not being sent, and those that need its record; returns all of them.
    ///
    /// If an attempt has failed, the server can have performed it nevertheless.
    @discardableResult
    public func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        guard id != inFlight else { throw .noSuchEntry }
        let discarded = try queue.discard(id)
        start()
        return discarded
    }

    /// The news from now on, until the outbox is released.
    public nonisolated var news: AsyncStream<News> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
            if let broken { continuation.yield(.broken(broken)) }
            let id = UUID()
            observers.withLock { $0[id] = continuation }
            continuation.onTermination = { [weak self] _ in
                self?.observers.withLock { $0[id] = nil }
            }
        }
    }

    private func tell(_ news: News) {
        for observer in observers.withLock({ Array($0.values) }) { observer.yield(news) }
    }

    // MARK: Sending

    /// Sends what can be sent now, and returns when nothing more can.
    ///
    /// It doesn't end a pause.
    public func drain() async {
        start()
        await running?.value
    }

    /// Ends a pause that something may have made needless, but no pause that the server wants.
    private func resume() {
        if !isServersPause { pausedUntil = .now }
        start()
    }

    /// Starts sending, unless it is already running.
    private func start() {
        guard running == nil else { return }
        // It doesn't retain the outbox between two entries.
        running = Task { [weak self] in
            while await self?.sendNext() == true {}
        }
    }

    /// Sends the oldest entry that can be sent now; returns false if nothing can be sent.
    private func sendNext() async -> Bool {
        do {
            let stored = try client.transport.tokens.stored()
            if let userID = stored.userID {
                for former in stored.formerUserIDs { try queue.move(from: former, to: userID) }
            }
            if pausedUntil <= .now, stored.current != nil,
                let next = try queue.next(of: stored.userID)
            {
                inFlight = next.id
                await send(next, as: stored)
                inFlight = nil
                return true
            }
        } catch {
            pause(error)
        }
        // From the last look until here, no write could come.
        running = nil
        report()
        return false
    }

    /// Reports what the outbox waits for, and sets the timer.
    private func report() {
        timer?.cancel()
        var pause = (pausedUntil - .now) / .seconds(1)
        do {
            let stored = try client.transport.tokens.stored()
            guard stored.current != nil else {
                let isEmpty = try queue.count(of: stored.userID) == 0
                return tell(isEmpty ? .idle : .paused(HumonError(.noToken, "Sign in first.")))
            }
            guard let next = try queue.nextAttempt(of: stored.userID) else { return tell(.idle) }
            pause = max(next.timeIntervalSinceNow, pause)
        } catch {
            // Looking again after the pause that the same error has begun.
        }
        tell(.waiting(until: Date(timeIntervalSinceNow: pause)))
        let duration = Duration.seconds(min(max(0.01, pause), 3_600))
        timer = Task { [weak self] in
            try? await Task.sleep(for: duration)
            if !Task.isCancelled { await self?.start() }
        }
    }

    /// Sends an entry with the token of its user, even if another user signs in meanwhile.
    private func send(_ entry: Entry, as stored: StoredToken) async {
        do {
            guard let entry = try await prepare(entry, stored) else { return }
            let call = try call(of: entry)
            let reply = try await client.transport.send(call, token: .some(stored.current))
            willRun("response")
            try finish(entry, entry.kind.makesRecord ? try reply.decode(Identified.self).id : nil)
        } catch {
            do { try fail(entry, HumonError(outbox: error)) } catch { pause(error) }
        }
    }

    private func finish(_ entry: Entry, _ id: Int64?) throws {
        try queue.finish(entry, id)
        failures = 0
        tell(.sent(entry))
    }

    private func fail(_ entry: Entry, _ error: HumonError) throws {
        switch error.kind {
        case .network, .timeout, .rateLimited, .unavailable, .unauthorized, .noToken, .tokenStore,
            .redirected, .insecureURL, .cancelled:
            pause(error)
        case .server, .decoding: try postpone(entry)
        // The page of a proxy says nothing about the entry.
        case _ where error.status != nil && !error.isHumons: try postpone(entry)
        case .notFound where entry.kind == .delete || entry.kind == .cancel:
            try finish(entry, nil)
        default:
            guard let rejected = try queue.reject(entry, error.localizedDescription) else { return }
            failures = 0
            tell(.rejected(rejected, error))
        }
    }

    private func postpone(_ entry: Entry) throws {
        try queue.postpone(entry, for: min(3_600, pow(2, Double(entry.attempts))) * pace)
    }

    /// Stops sending for a while, because of something that is no fault of an entry.
    private func pause(_ error: any Error) {
        let error = HumonError(outbox: error)
        let backoff = .random(in: 0.5...1) * min(60, pow(2, Double(failures))) * pace
        failures = min(failures + 1, 10)
        isServersPause = error.retryAfter != nil
        pausedUntil = .now + max(error.retryAfter ?? .zero, .seconds(backoff))
        tell(.paused(error))
    }

    /// Returns the entry as it can be sent: with its time on the disk, or with a new key if the
    /// server may have forgotten the old one; nil if the server has performed it already.
    private func prepare(_ entry: Entry, _ stored: StoredToken) async throws -> Entry? {
        let keyLife: TimeInterval = 6 * 86_400
        var isNew = false
        // A time in the future means that the clock was changed.
        if let sent = entry.firstSent, abs(sent.timeIntervalSinceNow) > keyLife {
            let known = try queue.id(of: entry.record)
            if let id = try await client.performed(entry, id: known, token: stored.current) {
                try finish(entry, entry.kind.makesRecord ? id : nil)
                return nil
            }
            isNew = true
        }
        return try queue.markSent(entry, stored.userID, withNewKey: isNew)
    }

    private func call(of entry: Entry) throws -> Call {
        let isAttending = entry.kind == .attend
        let target =
            isAttending ? Record(text: String(decoding: entry.body ?? Data(), as: UTF8.self)) : nil
        let id = entry.kind == .create ? 0 : try queue.id(of: target ?? entry.record)
        guard let id else { throw HumonError(.notFound, "The event was not created.") }
        let (method, path) =
            switch entry.kind {
            case .create: ("POST", "events")
            case .update: ("PATCH", "events/\(id)")
            case .delete: ("DELETE", "events/\(id)")
            case .attend: ("POST", "attendances")
            case .cancel: ("DELETE", "attendances/\(id)")
            }
        var call = Call(method, path, .unsafe).header("Idempotency-Key", "\"\(entry.key)\"")
            .header("If-Match", entry.version)
        call.body = isAttending ? Data("{\"event\":{\"id\":\(id)}}".utf8) : entry.body
        return call
    }
}

extension HumonError {
    /// Creates the error of an attempt; the outbox's own are like those of the token's store.
    fileprivate init(outbox error: any Error) {
        self = error as? HumonError ?? HumonError(.tokenStore, error.localizedDescription)
    }
}
