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
    let client: HumonClient
    let queue: Queue
    private let observers = Locked<[UUID: AsyncStream<News>.Continuation]>([:])
    private var running: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var session: Task<Void, Never>?
    private var surroundings: Surroundings?
    /// Until when nothing is sent, and the number of failures in a row that were not of one entry.
    private var pausedUntil = Date.distantPast
    private var failures = 0
    private var broken: URL?

    /// Opens an outbox, and begins to send what it has.
    ///
    /// - Parameters:
    ///   - client: The client that sends the writes.
    ///   - file: A file of the app, which is created if it doesn't exist. One outbox can use it.
    /// - Throws: `inUse` or `storage`.
    public init(client: HumonClient, file: URL) throws(OutboxError) {
        try self.init(client: client, file: file, willRun: { _ in })
    }

    /// Opens an outbox that calls a function of tests before each statement and request.
    package init(
        client: HumonClient,
        file: URL,
        willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) {
        self.client = client
        (queue, broken) = try Queue.open(file, willRun: willRun)
        let count = queue.count
        client.transport.tokens.countUnsentWrites { count.withLock { $0 } }
        Task { await self.begin() }
    }

    deinit {
        timer?.cancel()
        session?.cancel()
        for observer in observers.withLock({ Array($0.values) }) { observer.finish() }
    }

    private func begin() {
        if let broken { tell(.broken(broken)) }
        let states = client.session.states
        session = Task { [weak self] in
            for await state in states { await self?.sessionDidChange(state) }
        }
        surroundings = Surroundings { [weak self] in
            Task { await self?.resume() }
        }
        start()
    }

    // MARK: Writes

    /// Creates an event.
    public func create(_ draft: EventDraft) throws(OutboxError) -> Record {
        let record = Record.local(UUID())
        try add(.create, record, try Self.body(draft), nil)
        return record
    }

    /// Changes an event; with a version, only if the event still has it.
    public func update(
        _ record: Record,
        _ changes: EventChanges,
        ifMatch version: String? = nil
    ) throws(OutboxError) {
        try add(.update, record, try Self.body(changes), version)
    }

    /// Deletes an event; with a version, only if the event still has it.
    public func delete(_ record: Record, ifMatch version: String? = nil) throws(OutboxError) {
        try add(.delete, record, nil, version)
    }

    /// Attends an event, and returns the attendance.
    public func attend(_ event: Record) throws(OutboxError) -> Record {
        let record = Record.local(UUID())
        try add(.attend, record, Data(event.text(isOfAttendance: false).utf8), nil)
        return record
    }

    /// Ends an attendance.
    public func cancel(_ attendance: Record) throws(OutboxError) {
        try add(.cancel, attendance, nil, nil)
    }

    private func add(
        _ kind: Entry.Kind,
        _ record: Record,
        _ body: Data?,
        _ version: String?
    ) throws(OutboxError) {
        let userID = (try? client.transport.tokens.stored())?.userID
        try queue.add(kind, record, body, version, userID)
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
    /// Those of a create are applied to its attributes.
    public func replace(
        _ id: Entry.ID,
        with changes: EventChanges,
        ifMatch version: String? = nil
    ) throws(OutboxError) {
        try queue.renew(id, body: try Self.body(changes), version: version)
        start()
    }

    /// Removes a write that is not being sent, and those that need its record; returns all of them.
    @discardableResult
    public func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        let discarded = try queue.discard(id)
        start()
        return discarded
    }

    /// The news from now on.
    public nonisolated var news: AsyncStream<News> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
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
    public func drain() async {
        start()
        await running?.value
    }

    /// Ends a pause, because something has changed.
    private func resume() {
        pausedUntil = .distantPast
        start()
    }

    private func sessionDidChange(_ state: SessionState) {
        if case .signedIn = state { start() }
    }

    /// Begins to send, unless that goes on.
    private func start() {
        guard running == nil else { return }
        running = Task {
            await sendAll()
            running = nil
        }
    }

    private func sendAll() async {
        do {
            while pausedUntil <= .now {
                let stored = try client.transport.tokens.stored()
                guard stored.current != nil, let next = try queue.next(of: stored) else { break }
                await send(next)
            }
        } catch {
            pause(error as? HumonError ?? HumonError(.tokenStore, "\(error)"))
        }
        report()
    }

    /// Tells what the outbox waits for, and sets the timer.
    private func report() {
        timer?.cancel()
        guard queue.count.withLock({ $0 }) > 0 else { return tell(.idle) }
        // Without a token, a session begins the next attempt.
        guard let stored = try? client.transport.tokens.stored(), stored.current != nil,
            let next = try? queue.nextAttempt(of: stored)
        else { return }
        let time = max(next, pausedUntil)
        tell(.waiting(until: time))
        timer = Task { [weak self] in
            let pause = min(max(0.01, time.timeIntervalSinceNow), 3_600)
            try? await Task.sleep(for: .seconds(pause))
            if !Task.isCancelled { await self?.start() }
        }
    }

    private func send(_ entry: Entry) async {
        do throws(HumonError) {
            guard let entry = try await prepare(entry) else { return }
            let reply = try await client.transport.send(try call(of: entry))
            let id = entry.kind.makesRecord ? try reply.decode(Made.self).id : nil
            finish(entry, id)
        } catch {
            fail(entry, error)
        }
    }

    private func finish(_ entry: Entry, _ id: Int64?) {
        failures = 0
        do {
            try queue.finish(entry, id)
            tell(.sent(entry))
        } catch {
            // It stays in the outbox, and is sent again with its key.
            pause(HumonError(.tokenStore, error.localizedDescription))
        }
    }

    private func fail(_ entry: Entry, _ error: HumonError) {
        switch error.kind {
        case .notFound where entry.kind == .delete || entry.kind == .cancel: finish(entry, nil)
        case .network, .timeout, .rateLimited, .unavailable, .unauthorized, .noToken, .tokenStore,
            .redirected, .insecureURL, .cancelled:
            pause(error)
        case .server, .decoding: _ = try? queue.postpone(entry)
        default:
            guard let rejected = try? queue.reject(entry, error.localizedDescription) else {
                return pause(error)
            }
            tell(.rejected(rejected, error))
        }
    }

    /// Stops sending for a while, because of something that is no fault of an entry.
    private func pause(_ error: HumonError) {
        let backoff = Duration.seconds(.random(in: 0.5...1) * min(60, pow(2, Double(failures))))
        failures = min(failures + 1, 10)
        let pause = max(error.retryAfter ?? .zero, backoff)
        pausedUntil = Date(timeIntervalSinceNow: pause / .seconds(1))
        tell(.paused(error))
    }

    /// Returns the entry as it can be sent: with its time on the disk, or with a new key if the
    /// server may have forgotten the old one; nil if the server has performed it already.
    private func prepare(_ entry: Entry) async throws(HumonError) -> Entry? {
        let keyLife: TimeInterval = 6 * 86_400
        var isNew = false
        if let sent = entry.firstSent, sent.timeIntervalSinceNow < -keyLife {
            let known = (try? queue.id(of: entry.record)) ?? nil
            if let id = try await client.performed(entry, id: known) {
                finish(entry, entry.kind.makesRecord ? id : nil)
                return nil
            }
            isNew = true
        }
        do {
            let userID = try client.transport.tokens.stored().userID
            return try queue.markSent(entry, userID: userID, withNewKey: isNew)
        } catch {
            throw error as? HumonError ?? HumonError(.tokenStore, error.localizedDescription)
        }
    }

    private func call(of entry: Entry) throws(HumonError) -> Call {
        let id: Int64
        let isAttending = entry.kind == .attend
        let target =
            isAttending ? Record(text: String(decoding: entry.body ?? Data(), as: UTF8.self)) : nil
        if entry.kind == .create {
            id = 0
        } else if let known = (try? queue.id(of: target ?? entry.record)) ?? nil {
            id = known
        } else {
            throw HumonError(.notFound, "The event was not created.")
        }
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

    private struct Made: Decodable { let id: Int64 }
}
