import Foundation
import HumonClient
import Testing

@testable import HumonOutbox

/// A device whose outbox sends through a proxy.
struct OutboxScene {
    let server: Server
    let proxy: FaultProxy
    /// The app's client, whose requests go through the proxy.
    let humon: HumonClient
    /// The same user's client without the proxy.
    let direct: HumonClient
    let file: URL

    /// Creates a device, with a user unless `isSignedUp` is false.
    init(isSignedUp: Bool = true, timeout: Duration = .seconds(30)) async throws {
        #expect(SharedSQLite.isConfigured)
        server = try Server.shared.get()
        proxy = try FaultProxy(before: server)
        let tokens = SharedTokenStore()
        humon = server.client(at: proxy.url, timeout: timeout, retry: .never, tokens: tokens)
        direct = server.client(tokens: tokens)
        let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appending(path: "outbox.sqlite3")
        if isSignedUp { try await direct.session.signUp() }
    }

    /// Opens the outbox, after an earlier one has been released.
    ///
    /// Its pauses are those of apps times `pace`.
    func open(pace: Double = 0.01) async throws -> OpenOutbox {
        while true {
            do {
                return try OpenOutbox(humon, file, pace)
            } catch OutboxError.inUse {
                await Task.yield()
            }
        }
    }

    /// Opens an outbox that sends nothing before it is opened again, makes writes, and releases it.
    ///
    /// The faults are those of its requests before that.
    func write(
        after faults: [String] = [],
        _ writes: (Outbox) async throws -> Void
    ) async throws {
        try await proxy.fail(faults + ["429 600"])
        let device = try await open()
        try await writes(device.outbox)
        try await device.wait {
            if case .paused(let error) = $0 { error.status == 429 } else { false }
        }
    }

    /// Runs SQL in the file of a released outbox.
    func run(_ sql: String) async throws {
        while true {
            do {
                try Database(file, willRun: { _ in }).run(sql)
                return
            } catch OutboxError.inUse {
                await Task.yield()
            }
        }
    }

    /// The user's events, with the oldest record first.
    func events() async throws -> [Event] {
        try await direct.events.page(.owner(.me).sort(.id)).events
    }

    /// The requests through the proxy that write, and their keys.
    func writes() async throws -> [FaultProxy.Log.Request] {
        try await proxy.log().requests.filter { $0.method != "GET" }
    }
}

/// An outbox, and what it has told since it was opened.
struct OpenOutbox {
    let outbox: Outbox
    private let news: AsyncStream<News>

    fileprivate init(_ humon: HumonClient, _ file: URL, _ pace: Double) throws {
        outbox = try Outbox(client: humon, file: file, pace: pace, willRun: { _ in })
        news = outbox.news
    }

    /// Waits for news; returns those until then.
    @discardableResult
    func wait(until isAwaited: (News) async throws -> Bool) async throws -> [News] {
        var seen: [News] = []
        for await item in news {
            seen.append(item)
            if try await isAwaited(item) { return seen }
        }
        return seen
    }

    /// Waits until nothing is left to send but this number of entries.
    @discardableResult
    func settle(leaving count: Int = 0) async throws -> [News] {
        try await wait { item in
            guard item == .idle else { return false }
            return try await outbox.entries.count == count
        }
    }
}

extension News {
    /// Whether it is about a pause.
    var isPause: Bool { if case .paused = self { true } else { false } }

    /// The error of a rejected entry.
    var rejection: HumonError? { if case .rejected(_, let error) = self { error } else { nil } }

    /// The entry that was sent.
    var sent: Entry? { if case .sent(let entry) = self { entry } else { nil } }
}

extension FaultProxy.Log.Request {
    var key: String? { headers["idempotency-key"] }
}

extension EventChanges {
    /// Returns a change of the name.
    static func name(_ name: String) -> EventChanges {
        var changes = EventChanges()
        changes.name = .set(name)
        return changes
    }
}
