import Model
import Time

extension ConformanceCases {
    static let transferredKinds: [ConformanceCase] = [
        ConformanceCase(.transfer, "exports events as they were imported") { subject in
            try exchange(on: subject) { id in
                EventRecord(id: id, ownerID: 5, attributes: id == 2 ? .bare : .picnic)
            }
        },
        ConformanceCase(.transfer, "exports attendances as they were imported") { subject in
            try subject.store([EventRecord(id: 1, ownerID: 1, attributes: .bare)])
            var user: Int64 = 10
            try exchange(on: subject) { id in
                user += 1
                return AttendanceRecord(id: id, eventID: 1, userID: user)
            }
        },
        ConformanceCase(.transfer, "exports todo tasks as they were imported") { subject in
            try exchange(on: subject) { id in
                TodoTaskRecord(
                    id: id,
                    email: EmailAddress(stored: "a\(id ?? 0)@example.com"),
                    title: id == 2 ? "" : "Milk 🥛",
                    isCompleted: id == 2,
                    createdAt: .earliest,
                    updatedAt: .latest
                )
            }
        },
        ConformanceCase(.transfer, "exports shared tasks as they were imported") { subject in
            try exchange(on: subject) { id in
                SharedTaskRecord(
                    id: id,
                    task: SharedTask(taskID: Int64.min, name: "Milk 🥛"),
                    isCompleted: id == 2
                )
            }
        },
        ConformanceCase(.transfer, "exports check-ins as they were imported") { subject in
            try exchange(on: subject) { id in
                CheckinRecord(
                    id: id,
                    checkin: id == 2 ? Checkin(localTime: .earliest) : .full
                )
            }
        },
        ConformanceCase(.transfer, "refuses an attendance without event or twice") { subject in
            let owner = try await subject.user()
            try subject.store([EventRecord(id: 1, ownerID: owner.id, attributes: .bare)])

            let results = try subject.store([
                AttendanceRecord(id: 1, eventID: 2, userID: owner.id),
                AttendanceRecord(id: 1, eventID: 1, userID: owner.id),
                AttendanceRecord(id: 2, eventID: 1, userID: owner.id),
                AttendanceRecord(id: 2, eventID: 0, userID: owner.id),
                AttendanceRecord(id: 2, eventID: 1, userID: ImportResult.largestID + 1),
                AttendanceRecord(id: 3, eventID: 1, userID: 40),
            ])

            let refused = ImportResult.refused(reason: "a reason")
            try expect(
                "the results",
                results.withoutReasons,
                equals: [
                    refused, .imported(id: 1), refused, .idIsOutOfRange, .idIsOutOfRange,
                    .imported(id: 3),
                ]
            )
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: 1),
                equals: [
                    Attendance(id: 1, userID: owner.id, eventID: 1),
                    Attendance(id: 3, userID: 40, eventID: 1),
                ]
            )
        },
        ConformanceCase(.transfer, "imports tasks into accounts that exist") { subject in
            let account = try await subject.account("ana@example.com")

            try subject.store([
                TodoTaskRecord(id: 1, email: "ana@example.com", title: "a"),
                TodoTaskRecord(id: 2, email: "luis@example.com", title: "b"),
                TodoTaskRecord(id: 3, email: "ana@example.com", title: "c"),
            ])

            try await expect(
                "the titles of the tasks",
                subject.todoTasks.all(ofAccount: account.id).map(\.title),
                equals: ["a", "c"]
            )
            try await expect(
                "the account that is signed in",
                subject.accounts.findID(token: TokenDigest(1)),
                equals: account.id
            )
        },
        ConformanceCase(.transfer, "completes shared tasks that were imported") { subject in
            let task = SharedTask(taskID: 1, name: "a")
            try subject.store([
                SharedTaskRecord(id: 1, task: task, isCompleted: true),
                SharedTaskRecord(id: 2, task: task, isCompleted: false),
            ])

            try await expect("the tasks", subject.sharedTasks.pending(), equals: [task])
            try await subject.sharedTasks.complete(taskID: 1)
            try await expect("the tasks after that", subject.sharedTasks.pending(), equals: [])
        },
    ]

    /// Imports records of one kind, exports them, and imports others with the same ids.
    ///
    /// - Parameters:
    ///   - subject: The stores.
    ///   - make: Makes a record with this id, which a storage must accept.
    /// - Throws: `ConformanceFailure` if the export differs or the ids are not kept.
    private static func exchange<Record: TransferRecord>(
        on subject: ConformanceSubject,
        _ make: (Int64?) -> Record
    ) throws {
        let largest = ImportResult.largestID
        let records = [9, 2, 4].map(make)
        try expect(
            "the results of the import",
            subject.store(records),
            equals: [.imported(id: 9), .imported(id: 2), .imported(id: 4)]
        )

        let exported: [Record] = try subject.stored()
        let sorted = records.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        try expect("the exported records", exported, equals: sorted)
        let page: [Record] = try subject.stored(after: 2, limit: 1)
        try expect("a page", page, equals: Array(sorted.dropFirst().prefix(1)))
        try expect(
            "the results for ids that are taken",
            subject.store([9, 2, 4].map(make)),
            equals: [.idIsTaken, .idIsTaken, .idIsTaken]
        )
        let edges = [0, -1, largest + 1, Int64.max, Int64.min].map(make)
        try expect(
            "the results for ids that are out of range",
            subject.store(edges),
            equals: edges.map { _ in .idIsOutOfRange }
        )
        try expect("the records after that", subject.stored(), equals: exported)
        try expect(
            "the results of a strict import",
            subject.store([11, 2, 12].map(make), isStrict: true),
            equals: [.imported(id: 11), .idIsTaken]
        )
        try expectNewIDs(on: subject, above: 11, make)
        try expect(
            "the result for the largest id",
            subject.store([make(largest)]),
            equals: [.imported(id: largest)]
        )
        try expectNewIDs(on: subject, above: largest, make)
    }

    /// Imports two records without ids.
    private static func expectNewIDs<Record: TransferRecord>(
        on subject: ConformanceSubject,
        above id: Int64,
        _ make: (Int64?) -> Record
    ) throws {
        let results = try subject.store([make(nil), make(nil)])
        let ids: [Int64] = results.compactMap { result in
            if case .imported(let id) = result { id } else { nil }
        }
        guard ids.count == 2, ([id] + ids).sorted() == [id] + ids, Set([id] + ids).count == 3 else {
            throw ConformanceFailure(
                "the results for records without ids",
                expected: "ascending ids above \(id)",
                actual: "\(results)"
            )
        }
        try expect(
            "the ids of the records after \(id)",
            subject.stored(Record.self, after: id).map(\.id),
            equals: ids
        )
    }
}
