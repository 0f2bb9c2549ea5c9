import Events
import Model

/// What any import of events does; other kinds are in `transferredKinds`.
extension ConformanceCases {
    static let transfer: [ConformanceCase] = [
        ConformanceCase(.transfer, "stores events under their ids") { subject in
            let results = try subject.store([
                event(id: 7, owner: 3), event(id: nil, owner: 3), event(id: 5, owner: 9),
            ])

            guard case .imported(let new)? = results.dropFirst().first, new > 7 else {
                throw ConformanceFailure(
                    "the second result",
                    expected: "an id above 7",
                    actual: "\(results)"
                )
            }
            try expect(
                "the results",
                results,
                equals: [.imported(id: 7), .imported(id: new), .imported(id: 5)]
            )
            for (id, owner) in [(7, 3), (new, 3), (5, 9)] as [(Int64, Int64)] {
                try await expect(
                    "event \(id)",
                    subject.find(id),
                    equals: Event(id: id, ownerID: owner, attributes: .picnic)
                )
            }
        },
        ConformanceCase(.transfer, "creates the owners of imported events") { subject in
            try subject.store([event(id: 1, owner: 3), event(id: 2, owner: 9)])

            let created = try await subject.user()
            try expect("whether user \(created.id) is above 9", created.id > 9, equals: true)
            for id in [3, 9, created.id] {
                let attendance = try await subject.attendances.findOrCreate(userID: id, eventID: 1)
                try expect("the attending user", attendance.userID, equals: id)
            }
        },
        ConformanceCase(.transfer, "leaves existing owners as they are") { subject in
            let owner = try await subject.user()

            try subject.store([event(id: nil, owner: owner.id)])

            try await expect(
                "the owner",
                subject.users.find(token: TokenDigest(1)),
                equals: owner
            )
        },
        ConformanceCase(.transfer, "stores the records that it can") { subject in
            let past = ImportResult.largestID + 1
            let invalid = EventAttributes.at(0, 0, name: String(repeating: "x", count: 256))

            let results = try subject.store([
                event(id: 1, owner: 1),
                event(id: 1, owner: 2),
                event(id: 0, owner: 1),
                event(id: past, owner: 1),
                event(id: -1, owner: 1),
                event(id: 2, owner: 0),
                event(id: 2, owner: past),
                EventRecord(id: 2, ownerID: 1, attributes: invalid),
                event(id: 3, owner: 1),
            ])

            try expect(
                "the results",
                results.withoutReasons,
                equals: [.imported(id: 1), .idIsTaken]
                    + Array(repeating: .idIsOutOfRange, count: 5)
                    + [.refused(reason: "a reason"), .imported(id: 3)]
            )
            try await expect("the ids of all events", subject.eventIDs(), equals: [1, 3])
            try expect(
                "the stored events",
                subject.stored(),
                equals: [event(id: 1, owner: 1), event(id: 3, owner: 1)]
            )
        },
        ConformanceCase(.transfer, "stops a strict import at the first obstacle") { subject in
            let results = try subject.store(
                [
                    event(id: 4, owner: 1), event(id: 6, owner: 1), event(id: 4, owner: 2),
                    event(id: 9, owner: 3),
                ],
                isStrict: true
            )

            try expect(
                "the results",
                results,
                equals: [.imported(id: 4), .imported(id: 6), .idIsTaken]
            )
            try await expect("the ids of all events", subject.eventIDs(), equals: [4, 6])
        },
        ConformanceCase(.transfer, "exports records page by page") { subject in
            try subject.store([9, 2, 4, 30].map { event(id: $0, owner: 1) })

            let pages: [(after: Int64, limit: Int, ids: [Int64])] = [
                (0, 3, [2, 4, 9]), (9, 3, [30]), (30, 3, []), (Int64.max, 3, []),
                (Int64.min, 1, [2]), (3, 2, [4, 9]), (0, 0, []), (0, -1, []),
            ]
            for (id, limit, ids) in pages {
                try expect(
                    "at most \(limit) ids after \(id)",
                    subject.stored(EventRecord.self, after: id, limit: limit).compactMap(\.id),
                    equals: ids
                )
            }
        },
        ConformanceCase(.transfer, "stores nothing if an import throws") { subject in
            let records = [event(id: 1, owner: 1)]
            for isRepeatable in [true, false] {
                try await expect("the import", throws: Refusal()) {
                    try subject.transfer.importRecords(isRepeatable: isRepeatable) { session in
                        _ = try session.store(records, isStrict: false)
                        throw Refusal()
                    }
                }
            }

            try expect("the stored events", subject.stored(EventRecord.self), equals: [])
            try await expect("the ids of all events", subject.eventIDs(), equals: [])
        },
        ConformanceCase(.transfer, "exports what was there when the export began") { subject in
            try subject.store([1, 2].map { event(id: $0, owner: 1) })

            let ids = try subject.transfer.exportRecords { session in
                let first = try session.records(EventRecord.self, after: 0, limit: 1)
                try subject.store([event(id: 3, owner: 1)])
                return try (first + session.records(after: 1, limit: 9)).compactMap(\.id)
            }

            try expect("the exported ids", ids, equals: [1, 2])
            try await expect("the ids of all events", subject.eventIDs(), equals: [1, 2, 3])
        },
    ]

    private static func event(id: Int64?, owner: Int64) -> EventRecord {
        EventRecord(id: id, ownerID: owner, attributes: .picnic)
    }
}

extension [ImportResult] {
    /// The same with one reason for all refusals that give any.
    var withoutReasons: [ImportResult] {
        map { result in
            guard case .refused(let reason) = result else { return result }
            return .refused(reason: reason.isEmpty ? "" : "a reason")
        }
    }
}
