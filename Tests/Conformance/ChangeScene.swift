import Events
import Model
import System

/// Users who follow changes: everybody and some with tokens, in a region or their own.
struct ChangeScene {
    enum Reader: CaseIterable {
        case all
        case owner
        case guest
        case guestsRegion
        case other
    }

    private let subject: ConformanceSubject
    private let followers: [Reader: ChangeFollower]
    private let live: any LiveChanges
    private let readers: [Reader: LiveFollower]
    let owner: Int64
    let guest: Int64
    let other: Int64

    init(_ subject: ConformanceSubject) async throws {
        self.subject = subject
        owner = try await subject.user(1).id
        guest = try await subject.user(2).id
        other = try await subject.user(3).id
        let (owner, guest, other) = (owner, guest, other)
        followers = Dictionary(
            uniqueKeysWithValues: Reader.allCases.map { reader in
                let filter = Self.filter(reader, owner, guest, other)
                return (reader, ChangeFollower(subject.changes, filter))
            }
        )
        live = subject.changes.live()
        readers = Dictionary(uniqueKeysWithValues: Reader.allCases.map { ($0, LiveFollower()) })
        for reader in Reader.allCases {
            _ = try await begin(reader)
            guard let follower = readers[reader] else { continue }
            let group = ChangeGroup("\(reader)", filter(reader)) { changes in
                Array(changes.operations.map { "\($0)," }.joined().utf8)
            }
            try await live.add(follower, to: group)
        }
    }

    /// Ends the live changes, so that no reader of the test's database is left.
    func end() {
        for reader in readers.values { live.remove(reader) }
    }

    func filter(_ reader: Reader) -> ChangeFilter { Self.filter(reader, owner, guest, other) }

    private static func filter(
        _ reader: Reader,
        _ owner: Int64,
        _ guest: Int64,
        _ other: Int64
    ) -> ChangeFilter {
        var region = EventFilter()
        region.box = BoundingBox(west: -122.5, south: 36.5, east: -121.5, north: 37.5)
        func mine(_ userID: Int64, _ token: Int) -> ChangeFilter {
            let viewer = EventViewer(
                userID: userID,
                token: TokenDigest(token).bytes,
                seesHidden: true
            )
            return .mine(viewer, userID: userID)
        }
        switch reader {
        case .all: return .region(region, userID: nil)
        case .owner: return mine(owner, 1)
        case .guest: return mine(guest, 2)
        case .other: return mine(other, 3)
        case .guestsRegion:
            region.viewer = EventViewer(token: TokenDigest(2).bytes)
            return .region(region, userID: guest)
        }
    }

    /// Returns the operations that a reader begins with.
    func begin(_ reader: Reader, limit: Int = 100) async throws -> [String] {
        guard let follower = followers[reader] else { return [] }
        return try await follower.begin(limit: limit)
    }

    /// Returns the operations since a reader last looked; nil if the reader must begin again.
    ///
    /// The live changes must be the same.
    func operations(_ reader: Reader) async throws -> [String]? {
        let operations = try await followers[reader]?.operations()
        let latest = try await subject.changes.latest().number
        while let number = live.number, number < latest { await Task.yield() }
        let received = readers[reader]?.take()
        try Conformance.expect(
            "the live changes of \(reader)",
            received?.sorted(),
            equals: operations.map { Set($0).sorted() }
        )
        return operations
    }

    /// Checks the operations of readers, each separated by a comma.
    func check(
        _ change: String,
        all: String = "",
        owner: String = "",
        guest: String = ""
    ) async throws {
        for (reader, expected) in [(Reader.all, all), (.owner, owner), (.guest, guest)] {
            let operations: [String]? = try await self.operations(reader)
            try Conformance.expect(
                "\(change) for \(reader)",
                operations?.joined(separator: ", "),
                equals: expected
            )
        }
    }

    func change(_ event: Int64, _ change: @escaping @Sendable (inout EventAttributes) -> Void)
        async throws
    {
        try await subject.events.update(event, ownerID: owner, if: nil) { attributes in
            var new = attributes
            change(&new)
            return new
        }
    }
}

/// A reader of live changes.
private final class LiveFollower: ChangeReader {
    /// The operations since the last look; nil if they can't be followed.
    private let received = Mutex<Set<String>?>([])

    func receive(_ changes: [UInt8], after start: Int64, upTo number: Int64) {
        let operations = String(decoding: changes, as: UTF8.self).split(separator: ",")
        received.withLock { $0?.formUnion(operations.map(String.init)) }
    }

    func lose() { received.withLock { $0 = nil } }

    /// Returns the operations since the last call; nil if the reader must begin again.
    func take() -> Set<String>? {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }
}

/// A client that follows changes.
final class ChangeFollower: @unchecked Sendable {
    private let store: any ChangeStore
    private let filter: ChangeFilter
    // Only one task uses a follower.
    private var position: ChangePosition?

    init(_ store: any ChangeStore, _ filter: ChangeFilter) {
        self.store = store
        self.filter = filter
    }

    func begin(limit: Int) async throws -> [String] {
        position = nil
        return try await operations(limit: limit) ?? []
    }

    /// Returns all operations since the last call; nil if the client must begin again.
    func operations(limit: Int = 100) async throws -> [String]? {
        var operations: [String] = []
        while true {
            let page: ChangePage
            do {
                page = try await store.page(filter, after: position, limit: limit)
            } catch is NewStart {
                return nil
            }
            operations += page.operations
            position = page.position
            if !page.hasMore { return operations }
        }
    }
}

extension ChangePage {
    var operations: [String] { changes.operations }
}

extension [RecordChange] {
    /// The operations in words.
    var operations: [String] {
        map { change in
            let operation = change.operation.rawValue
            switch change.record {
            case .event(let id, let event):
                let isRight = event.map { $0.id == id } ?? (change.operation == .leave)
                return "\(operation) \(id)\(isRight ? "" : " wrongly")"
            case .attendance(let id, let attendance, let event):
                let user = attendance.map { " of \($0.userID)" } ?? ""
                return "\(operation) attendance \(id)\(user)"
                    + (event.map { " with \($0.id)" } ?? "")
            case .task(let id, let task):
                return "\(operation) task \(id)" + (task.map { " \($0.title)" } ?? "")
            }
        }
    }
}
