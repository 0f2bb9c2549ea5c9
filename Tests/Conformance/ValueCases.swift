import Events
import Model
import Time

extension ConformanceCases {
    static let values: [ConformanceCase] = [
        ConformanceCase(.values, "stores texts that look like SQL, patterns or arrays") { subject in
            try await storeTexts(
                [
                    "'; DROP TABLE events; --", "''", "\"\"", "\\", "\\'", "E'\\n'", "%", "_", "%s",
                    "$1", "?1", ":name", "{a,b}", "{}", "{\"a\"}", "NULL", "null", "(1,2)", "a\tb",
                    "a\nb", "a\r\nb", " a ", "1", "1e3", "0x1F", "true", "a,b;c|d", "\\x61",
                    "\\000",
                ],
                in: subject
            )
        },
        ConformanceCase(.values, "stores texts in all scripts, character by character") { subject in
            try await storeTexts(
                [
                    "Sá\u{301}", "S\u{e1}", "\u{FEFF}a", "a\u{200B}b", "\u{202E}a",
                    "e\u{301}\u{327}",
                    "\u{301}", "👩‍👩‍👧‍👦", "🇪🇪", "👍🏽", "\u{1}\u{1F}\u{7F}\u{9F}", "\u{FFFD}",
                    "\u{FFFE}\u{FFFF}", "\u{10FFFF}", "\u{D7FF}\u{E000}", "مرحبا", "שלום", "日本語",
                    "ﬁ", "ẞß", "İı", "\u{1F469}\u{FE0F}", "\u{2028}\u{2029}", "a\u{A0}b",
                ],
                in: subject
            )
        },
        ConformanceCase(.values, "finds events at extreme places by exact coordinates") { subject in
            let owner = try await subject.user()
            let smallest = Double.leastNonzeroMagnitude
            let places: [(Double, Double)] = [
                (smallest, -smallest), (.leastNormalMagnitude, 1e-300), (90, 180), (-90, -180),
                (Double(90).nextDown, Double(180).nextDown),
                (Double(-90).nextUp, Double(-180).nextUp), (0.1 + 0.2, 1.0 / 3),
                (12.345678901234567, -98.76543210987654), (1e-7, 1e22 / 1e21),
            ]
            for (latitude, longitude) in places {
                let attributes = EventAttributes.at(latitude, longitude)
                let id = try await subject.event(attributes)
                let event = Event(id: id, ownerID: owner.id, attributes: attributes)

                try await expect("the event", subject.find(id), equals: event)
                try await expect(
                    "whether the event is at its place",
                    subject.nearest(to: attributes.coordinate, within: 0, limit: 99).contains(
                        event
                    ),
                    equals: true
                )
                var query = EventQuery(
                    filter: EventFilter(),
                    order: .id(isDescending: true),
                    limit: 1
                )
                query.filter.box = BoundingBox(
                    west: longitude,
                    south: latitude,
                    east: longitude,
                    north: latitude
                )
                try await expect("the event in its box", subject.page(query).ids, equals: [id])
            }
        },
        ConformanceCase(.values, "stores the extreme numbers of check-ins") { subject in
            let time = Timestamp(milliseconds: 0)
            let ratings: [Double] = [
                0, 1, -1, 0.1 + 0.2, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
                .leastNonzeroMagnitude, .leastNormalMagnitude, 1e15, 9_007_199_254_740_992, 1e300,
                0.1,
            ]
            let places: [(Double, Double)] = [
                (90, -180), (-90, 180), (.leastNonzeroMagnitude, Double(180).nextDown),
            ]
            let checkins =
                ratings.map { Checkin(rating: $0, localTime: time) }
                + places.map { Checkin(latitude: $0.0, longitude: $0.1, localTime: time) }
                + [Timestamp.earliest, .latest].map { Checkin(localTime: $0) }

            for checkin in checkins { try await subject.checkins.add(checkin) }

            try await expect(
                "the check-ins",
                subject.checkins.newest(limit: 99).map(\.checkin),
                equals: checkins
            )
            try expect(
                "the exported check-ins",
                subject.stored(CheckinRecord.self).map(\.checkin),
                equals: checkins
            )
        },
        ConformanceCase(.values, "distinguishes tokens by every byte") { subject in
            let digests = (0..<32).flatMap { position in
                [UInt8(0x00), 0x80, 0xFF].map { byte in
                    var bytes = [UInt8](repeating: 1, count: 32)
                    bytes[position] = byte
                    return TokenDigest(bytes: bytes)
                }
            }
            let users = subject.users
            var ids: [Int64] = []
            for digest in digests { ids.append(try await users.create(token: digest).id) }

            try expect("the number of different ids", Set(ids).count, equals: digests.count)
            for (digest, id) in zip(digests, ids) {
                try await expect(
                    "the user with the digest \(digest.bytes)",
                    users.find(token: digest)?.id,
                    equals: id
                )
            }
            try await expect(
                "the user with another digest",
                users.find(token: TokenDigest(bytes: [UInt8](repeating: 1, count: 32))),
                equals: nil
            )
        },
    ]

    /// Stores each text in every field that has one, and throws `ConformanceFailure` if its bytes
    /// change.
    private static func storeTexts(
        _ texts: [String],
        in subject: ConformanceSubject
    ) async throws {
        _ = try await subject.user()
        let account = try await subject.account()
        for text in texts {
            var attributes = EventAttributes.at(1, 1, name: text)
            attributes.address = text
            let id = try await subject.event(attributes)
            let event = try await subject.find(id)?.attributes
            let task = try await subject.todoTasks.create(
                TodoTaskChange(title: text),
                accountID: account.id
            )
            let title = try await subject.todoTasks.find(task.id, accountID: account.id)?.title
            try await subject.sharedTasks.add(SharedTask(taskID: 1, name: text))
            var checkin = Checkin.named(text, category: text)
            checkin.userName = text
            try await subject.checkins.add(checkin)
            let stored = try await subject.checkins.newest(limit: 1).last?.checkin

            let found = [
                ("event's name", event?.name), ("event's address", event?.address),
                ("task's title", title),
                ("shared task's name", try await subject.sharedTasks.pending().last?.name),
                ("check-in's name", stored?.name), ("check-in's category", stored?.category),
                ("check-in's user", stored?.userName),
            ]
            for (field, found) in found {
                try expect(
                    "the bytes of the \(field) \(text.debugDescription)",
                    found.map { Array($0.utf8) } ?? [],
                    equals: Array(text.utf8)
                )
            }
        }
        try await expect(
            "the bytes of all categories in their order",
            subject.checkins.categories(limit: 1000).map { Array($0.utf8) },
            equals: texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        )
    }
}
