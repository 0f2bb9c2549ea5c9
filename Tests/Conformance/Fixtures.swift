import Events
import Model
import Rules
import Time

/// What a precondition or a change throws to see that it was called.
struct Refusal: Error, Equatable {}

extension ConformanceSubject {
    /// Creates the user with this token.
    func user(_ token: Int = 1) async throws -> User {
        try await stores.users.create(token: TokenDigest(token))
    }

    /// Creates an event of the user with this token.
    func event(_ attributes: EventAttributes = .at(0, 0), token: Int = 1) async throws -> Int64 {
        guard let id = try await stores.events.create(attributes, token: TokenDigest(token)) else {
            throw ConformanceFailure("a new event of a user", expected: "its id", actual: "nil")
        }
        return id
    }

    /// The ids of all events up to 100, also of private ones.
    func allEventIDs() async throws -> [Int64] {
        var ids: [Int64] = []
        for id in Int64(1)...100 where try await stores.events.find(id) != nil { ids.append(id) }
        return ids
    }

    /// The ids of all events, whatever their place, as the nearest query finds them.
    func eventIDs() async throws -> [Int64] {
        try await nearest(
            to: Coordinate(latitude: 0, longitude: 0),
            within: .infinity,
            limit: 100_000
        ).map(\.id).sorted()
    }

    /// Creates the account with this address, signed in to with this token.
    func account(
        _ email: String = "ana@example.com",
        passwordHash: String = "hash",
        token: Int = 1
    ) async throws -> Account {
        try await stores.accounts.create(
            .named(email),
            passwordHash: passwordHash,
            token: TokenDigest(token)
        )
    }

    /// Imports records in one transaction.
    @discardableResult
    func store<Record: TransferRecord>(
        _ records: [Record],
        isStrict: Bool = false
    ) throws -> [ImportResult] {
        try transfer.importRecords { session in
            try session.store(records, isStrict: isStrict)
        }
    }

    /// Exports a page of records.
    func stored<Record: TransferRecord>(
        _ kind: Record.Type = Record.self,
        after id: Int64 = 0,
        limit: Int = 1000
    ) throws -> [Record] {
        try transfer.exportRecords { session in
            try session.records(after: id, limit: limit)
        }
    }

    /// Stores an event at each point, of a user who is made for it.
    ///
    /// - Parameter points: Where the events are.
    /// - Throws: `ConformanceFailure` unless all are stored.
    /// - Returns: The ids, in the order of the points; they ascend.
    func store(_ points: [Coordinate]) throws -> [Int64] {
        try storeEvents(points.map { .at($0) })
    }

    /// Stores events of a user who is made for them.
    ///
    /// - Parameter events: Their attributes.
    /// - Throws: `ConformanceFailure` unless all are stored.
    /// - Returns: The ids, in the order of the events; they ascend.
    func storeEvents(_ events: [EventAttributes]) throws -> [Int64] {
        let records = events.map { EventRecord(id: nil, ownerID: 1, attributes: $0) }
        let ids = try store(records).compactMap { result in
            if case .imported(let id) = result { id } else { nil }
        }
        try expect("the number of imported events", ids.count, equals: events.count)
        try expect("the ids of imported events", ids, equals: ids.sorted())
        return ids
    }
}

/// Runs a function in as many tasks at once.
///
/// - Parameters:
///   - count: How many tasks.
///   - body: Is called once in each task, with numbers from 0 on.
/// - Returns: What each call has returned or thrown, in the order of the numbers.
func simultaneously<Value: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Value
) async -> [Result<Value, any Error>] {
    let tasks = (0..<count).map { number in
        Task { () -> Result<Value, any Error> in
            do {
                return .success(try await body(number))
            } catch {
                return .failure(error)
            }
        }
    }
    var results: [Result<Value, any Error>] = []
    for task in tasks { results.append(await task.value) }
    return results
}

/// Throws `ConformanceFailure` unless one call has succeeded and all others have thrown this error.
func expectOneSuccess<Failure: Error & Equatable>(
    of name: String,
    among results: [Result<some Any, any Error>],
    others expected: Failure
) throws {
    try expectOneSuccess(of: name, among: results, others: "\(expected)") { error in
        error as? Failure == expected
    }
}

/// Throws `ConformanceFailure` unless one call has succeeded and all others have thrown
/// `ModelError.storage`, whatever its cause.
func expectOneSuccess(
    of name: String,
    amongRefusals results: [Result<some Any, any Error>]
) throws {
    try expectOneSuccess(of: name, among: results, others: "ModelError.storage") { error in
        if case .storage = error as? ModelError { true } else { false }
    }
}

private func expectOneSuccess(
    of name: String,
    among results: [Result<some Any, any Error>],
    others expected: String,
    where isExpected: (any Error) -> Bool
) throws {
    var successes = 0
    for result in results {
        switch result {
        case .success: successes += 1
        case .failure(let error) where isExpected(error): continue
        case .failure(let error):
            throw ConformanceFailure(
                "one of \(name)",
                expected: "the error \(expected)",
                actual: "the error \(error)"
            )
        }
    }
    try expect("how many of \(name) succeed", successes, equals: 1)
}

extension EventStore {
    func update(
        _ id: Int64,
        ownerID: Int64,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await update(id, ownerID: ownerID, if: nil, change: change)
    }

    func delete(_ id: Int64, ownerID: Int64) async throws {
        try await delete(id, ownerID: ownerID, if: nil)
    }
}

extension TokenDigest {
    /// A digest that no other number has.
    init(_ number: Int) {
        let bits = UInt64(truncatingIfNeeded: number)
        let low = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        self.init(bytes: low + low + low + low)
    }
}

extension NewAccount {
    /// An account with this address.
    static func named(_ email: String) throws -> NewAccount {
        try NewAccount(email: .text(email), password: .text("12345678"))
    }
}

extension EventAttributes {
    /// An event of which only the place matters, and perhaps the name.
    static func at(_ latitude: Double, _ longitude: Double, name: String = "event") -> Self {
        at(Coordinate(latitude: latitude, longitude: longitude), name: name)
    }

    /// An event of which only the place matters, and perhaps the name.
    static func at(_ coordinate: Coordinate, name: String = "event") -> Self {
        EventAttributes(
            name: name,
            coordinate: coordinate,
            startedAt: Timestamp(milliseconds: 0)
        )
    }

    /// An event with a value in every field.
    static let picnic = {
        var picnic = EventAttributes(
            name: "Picnic 🧺 'n' Sá\u{301}",
            address: "Dolores Park",
            coordinate: Coordinate(latitude: 37.759705, longitude: -122.427103),
            startedAt: Timestamp(milliseconds: 1_379_289_600_123),
            endedAt: Timestamp(milliseconds: -1)
        )
        picnic[.description] = "Bring a blanket,\r\nand \"something\" to eat."
        picnic[.url] = "https://picnic.example.com/?a=1&b='2'"
        picnic[.imageURL] = "http://[2001:db8::1]:8080/a.jpg"
        picnic[.category] = "food-and-drink"
        picnic[.tags] = "sá\u{301},out of doors,🧺"
        picnic[.allDay] = "true"
        picnic[.seriesID] = " Picnics\t2013 "
        picnic[.data] = #"{"price":5.00,"a":[{},"\u0000",1e400,null]}"#
        return picnic
    }()

    /// An event with only the required fields.
    static let bare = EventAttributes(
        name: "b",
        coordinate: Coordinate(latitude: -90, longitude: 180),
        startedAt: Timestamp(milliseconds: 0)
    )
}

extension String {
    /// Returns the text this many times in a row.
    func repeated(_ count: Int) -> String {
        String(repeating: self, count: count)
    }
}
