public import Foundation
public import HumonClient

/// Writes that are made offline, and sent when the network is there.
///
/// Each call returns when the write is on the device's disk. It is then sent with the same key
/// until the server has accepted or rejected it, so nothing is lost and nothing is stored twice.
///
/// Writes of one record are sent in order. Those of other records don't wait for them.
public actor Outbox {
    private let client: HumonClient
    private let queue: Queue
    private let observers = Locked<[AsyncStream<News>.Continuation]>([])
    private let broken: URL?
    /// The factor of all pauses but the server's; tests have shorter ones.
    private let pace: Double
    private let willRun: @Sendable (String) -> Void
    private var running: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var watchers: [Task<Void, Never>] = []
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

    /// Opens an outbox for tests, which calls a function before statements and after responses.
    package init(
        client: HumonClient,
        file: URL,
        pace: Double,
        willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) {
        (self.client, self.pace, self.willRun) = (client, pace, willRun)
        queue = try Queue(file, willRun: willRun)
        broken = queue.broken
        client.transport.tokens.countUnsentWrites { [weak self] in await self?.count(of: $0) ?? 0 }
        Task { [weak self] in await self?.begin() }
    }

    deinit {
        timer?.cancel()
        for watcher in watchers { watcher.cancel() }
        for observer in observers.withLock(\.self) { observer.finish() }
    }

    private func begin() {
        let states = client.session.states
        watchers = [
            Task { [weak self] in for await _ in states { await self?.resume() } },
            Task { [weak self] in for await _ in changesAround() { await self?.resume() } },
        ]
        start()
    }

    private func count(of userID: Int64?) -> Int { Int((try? queue.count(of: userID)) ?? 0) }

    // MARK: Writes

    /// Creates an event.
    public func create(_ draft: EventDraft) throws(OutboxError) -> Record {
        try add(.create, .local(UUID()), draft)
    }

    /// Changes an event; with a version, only if the event still has it.
    public func update(
        _ record: Record,
        _ changes: EventChanges,
        ifMatch version: String? = nil
    ) throws(OutboxError) {
        try add(.update, record, changes, version: version)
    }

    /// Deletes an event; with a version, only if the event still has it.
    public func delete(_ record: Record, ifMatch version: String? = nil) throws(OutboxError) {
        try add(.delete, record, version: version)
    }

    /// Attends an event, and returns the attendance.
    public func attend(_ event: Record) throws(OutboxError) -> Record {
        try add(.attend, .local(UUID()), of: event)
    }

    /// Ends an attendance.
    public func cancel(_ attendance: Record) throws(OutboxError) {
        try add(.cancel, attendance)
    }

    @discardableResult
    private func add(
        _ kind: Entry.Kind,
        _ record: Record,
        _ content: (any Encodable)? = nil,
        of event: Record? = nil,
        version: String? = nil
    ) throws(OutboxError) -> Record {
        // Without it, another user could become the owner.
        guard let stored = try? client.transport.tokens.stored() else {
            throw .storage("The token can't be read now.")
        }
        try queue.add(kind, record, event, content, version, stored.userID)
        start()
        return record
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
        try queue.renew(id, nil, nil)
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
        try queue.renew(id, changes, version)
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
            observers.withLock { $0.append(continuation) }
        }
    }

    private func tell(_ news: News) {
        observers.withLock { observers in
            observers.removeAll { if case .terminated = $0.yield(news) { true } else { false } }
        }
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

    /// Sends the oldest entry that can be sent now.
    ///
    /// - Returns: False if it has none, after it has reported what it waits for.
    private func sendNext() async -> Bool {
        var next: Date?
        do {
            let stored = try client.transport.tokens.stored()
            for former in stored.formerUserIDs { try queue.move(from: former, to: stored.userID) }
            let canSend = pausedUntil <= .now && stored.current != nil
            if canSend, let entry = try queue.next(of: stored.userID) {
                try await send(entry, as: stored)
                return true
            }
            next = try queue.nextAttempt(of: stored.userID)
            if next == nil { return stop(.idle) }
            if stored.current == nil {
                return stop(.paused(HumonError(.noToken, "Sign in first.")))
            }
        } catch {
            pause(error)
        }
        let pause = max(next?.timeIntervalSinceNow ?? 0, (pausedUntil - .now) / .seconds(1))
        return stop(.waiting(until: Date(timeIntervalSinceNow: pause)), for: pause)
    }

    /// Reports why nothing is sent, and looks again after a pause.
    ///
    /// Since the last look at the queue, no write could come.
    private func stop(_ news: News, for pause: Double? = nil) -> Bool {
        running = nil
        timer?.cancel()
        if let pause {
            timer = Task { [weak self] in
                try? await Task.sleep(for: .seconds(min(max(0.01, pause), 3_600)))
                if !Task.isCancelled { await self?.start() }
            }
        }
        tell(news)
        return false
    }

    /// Sends an entry with the token of its user, even if another user signs in meanwhile.
    private func send(_ entry: Entry, as stored: StoredToken) async throws {
        inFlight = entry.id
        defer { inFlight = nil }
        do {
            // Only a create has no id yet: entries that need it wait.
            let id = try queue.id(of: entry.event ?? entry.record) ?? 0
            // The server may have forgotten its key. A time in the future is that of another clock.
            let isOld = abs(entry.firstSent?.timeIntervalSinceNow ?? 0) > 6 * 86_400
            if isOld, let id = try await client.performed(entry, id: id, token: stored.current) {
                return try finish(entry, id)
            }
            let marked = try queue.markSent(entry, stored.userID, newKey: isOld)
            guard let entry = marked else { return }
            let call = entry.call(id)
            let reply = try await client.transport.send(call, token: .some(stored.current))
            willRun("response")
            try finish(entry, entry.kind.makesRecord ? try reply.decode(Identified.self).id : nil)
        } catch let error as HumonError {
            try fail(entry, error)
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
        // The page of a proxy says nothing about the entry.
        case _ where error.status != nil && !error.isHumons, .server, .decoding:
            let seconds = min(3_600, pow(2, Double(entry.attempts))) * pace
            try queue.postpone(entry, until: Date(timeIntervalSinceNow: seconds))
        case .notFound where entry.kind == .delete || entry.kind == .cancel:
            try finish(entry, nil)
        default:
            guard let rejected = try queue.reject(entry, error) else { return }
            failures = 0
            tell(.rejected(rejected, error))
        }
    }

    /// Stops sending for a while, because of something that is no fault of an entry.
    private func pause(_ error: any Error) {
        // The outbox's own errors are like those of the token's store.
        let error = error as? HumonError ?? HumonError(.tokenStore, error.localizedDescription)
        let backoff = .random(in: 0.5...1) * min(60, pow(2, Double(failures))) * pace
        failures += 1
        isServersPause = error.retryAfter != nil
        pausedUntil = .now + max(error.retryAfter ?? .zero, .seconds(backoff))
        tell(.paused(error))
    }
}
