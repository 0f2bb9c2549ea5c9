import Events
import Model
import Rules

/// A user with an identity, and a device's user with all kinds of records.
struct MergeScene {
    let subject: ConformanceSubject
    let user: Int64
    let device: Int64
    let others: [Int64]
    let events: [Int64]
    /// An event that the user attends, and whose owner the device's user blocks.
    let blocked: Int64

    init(_ subject: ConformanceSubject) async throws {
        self.subject = subject
        _ = try await subject.signIn("ana", new: 1)
        user = 1
        device = try await subject.user(2).id
        let others = [try await subject.user(3).id, try await subject.user(4).id]
        self.others = others
        var events: [Int64] = []
        for token in [2, 2, 3, 3] {
            events.append(
                try await subject.events.create(.picnic, token: TokenDigest(token)) ?? 0
            )
        }
        self.events = events
        // Both attend the third event.
        blocked = try await subject.events.create(.picnic, token: TokenDigest(4)) ?? 0
        _ = try await subject.attendances.findOrCreate(userID: user, eventID: blocked)
        for (guest, event) in [(user, 2), (device, 2), (device, 3)] {
            _ = try await subject.attendances.findOrCreate(userID: guest, eventID: events[event])
        }
        let moderation = subject.moderation
        let complaint = Complaint(reason: "spam", note: nil)
        _ = try await moderation.block(.user(others[1]), nil, by: TokenDigest(2))
        _ = try await moderation.block(.user(user), nil, by: TokenDigest(2))
        _ = try await moderation.block(.user(device), nil, by: TokenDigest(4))
        _ = try await moderation.report(.user(others[0]), complaint, by: TokenDigest(2))
        _ = try await moderation.report(.user(others[0]), complaint, by: TokenDigest(1))
        _ = try await moderation.report(.user(device), complaint, by: TokenDigest(3))
        _ = try await subject.signIns.rename("Device", by: TokenDigest(2))
    }

    func signIn(merge: Bool?) async throws -> SignInOutcome {
        try await subject.signIn("ana", present: 2, new: 9, merge: merge)
    }

    /// Checks that the user has everything and the device's user nothing.
    func expectMerged() async throws {
        try await expect("its users", subject.userIDs([1, 2]), equals: [user, user])
        for event in events[..<2] {
            try await expect("the owner", subject.find(event)?.ownerID, equals: user)
        }
        for event in events[2...] {
            let guests = try await subject.attendances.all(ofEvent: event)
            try expect("the guests of \(event)", guests?.map(\.userID), equals: [user])
        }
        let ended = try await subject.attendances.all(ofEvent: blocked)
        try expect("the guests of a blocked owner", ended?.map(\.userID), equals: [])
        var query = EventQuery.byID
        query.filter.ownerID = user
        try await expect(
            "what a search finds",
            Set(subject.page(query).events.map(\.id)),
            equals: Set(events[..<2])
        )
        let blocks = try await subject.moderation.blocks(of: TokenDigest(2))
        try expect("the blocks", blocks?.map(\.userID), equals: [others[1]])
        let guestBlocks = try await subject.moderation.blocks(of: TokenDigest(4))
        try expect("who blocks the user", guestBlocks?.map(\.userID), equals: [user])
        let open = try await subject.moderation.openReports(after: nil, limit: 9)
        try expect(
            "the reports",
            Set(open.map { "\($0.record) \($0.count)" }),
            equals: ["user(\(others[0])) 1", "user(\(user)) 1"]
        )
        let summary = try await subject.users.summary(ofUserWith: TokenDigest(1))
        try expect("the name", summary?.name, equals: "Device")
        try await expect("the former user", throws: ModelError.notFound) {
            _ = try await subject.moderation.block(.user(device), nil, by: TokenDigest(3))
        }
        let created = try await subject.events.create(.picnic, token: TokenDigest(2))
        try await expect("a new event's owner", subject.find(created ?? 0)?.ownerID, equals: user)
    }
}

extension EventQuery {
    /// The first events.
    static let byID = EventQuery(
        filter: EventFilter(),
        order: .id(isDescending: false),
        limit: 9
    )
}

extension Identity {
    /// A person at the issuer of these tests.
    static func of(_ subject: String) -> Identity {
        Identity(issuer: ConformanceCases.issuer, subject: subject)
    }
}

extension ConformanceSubject {
    /// Signs in with the tokens of these numbers.
    func signIn(
        _ person: String,
        issuer: String = ConformanceCases.issuer,
        present: Int? = nil,
        device: Int? = nil,
        new: Int,
        name: String? = nil,
        merge: Bool? = nil
    ) async throws -> SignInOutcome {
        try await stores.signIns.signIn(
            SignIn(
                Identity(issuer: issuer, subject: person),
                present: (present ?? device).map { TokenDigest($0) },
                deviceToken: device.map { TokenDigest($0) },
                newToken: TokenDigest(new),
                deviceName: name,
                merge: merge
            )
        )
    }

    /// Returns the ids of the users with the tokens of these numbers; nil for unknown ones.
    func userIDs(_ tokens: [Int]) async throws -> [Int64?] {
        var ids: [Int64?] = []
        for token in tokens {
            ids.append(try await stores.users.find(token: TokenDigest(token))?.id)
        }
        return ids
    }
}
