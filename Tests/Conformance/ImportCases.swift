import Events
import Model
import Time

/// What imports and exports have to do with the records that requests create.
extension ConformanceCases {
    static let imports: [ConformanceCase] = importedIDs + importsAsAWhole

    private static let importedIDs: [ConformanceCase] = [
        ConformanceCase(.transfer, "gives new records other ids than imported ones") { subject in
            // Others may use the next ids meanwhile, so a storage may treat large gaps differently.
            for (round, largest) in ([20, 5000, 1 << 40] as [Int64]).enumerated() {
                try subject.store([event(id: largest, owner: largest + 1)])
                try subject.store([
                    AttendanceRecord(id: largest, eventID: largest, userID: largest + 2)
                ])
                try subject.store([
                    TodoTaskRecord(id: largest, email: "ana\(largest)@example.com", title: "a")
                ])
                try subject.store([
                    SharedTaskRecord(
                        id: largest,
                        task: SharedTask(taskID: 1, name: "a"),
                        isCompleted: false
                    )
                ])
                try subject.store([CheckinRecord(id: largest, checkin: .full)])

                let token = Int(largest)
                let user = try await subject.user(token)
                _ = try await subject.event(token: token)
                _ = try await subject.attendances.findOrCreate(userID: user.id, eventID: largest)
                let account = try await subject.account("luis\(largest)@example.com", token: token)
                _ = try await subject.todoTasks.create(TodoTaskChange(), accountID: account.id)
                try await subject.sharedTasks.add(SharedTask(taskID: 2, name: "b"))
                try await subject.checkins.add(.full)

                let owners = [largest + 1, largest + 2]
                try expect("whether a user is new", !owners.contains(user.id), equals: true)
                // An engine that hands out ids in blocks may use smaller ones.
                for (kind, ids) in [
                    ("events", try subject.ids(EventRecord.self, from: 1)),
                    ("attendances", try subject.ids(AttendanceRecord.self, from: 1)),
                    ("todo tasks", try subject.ids(TodoTaskRecord.self, from: 1)),
                    ("shared tasks", try subject.ids(SharedTaskRecord.self, from: 1)),
                    ("check-ins", try subject.ids(CheckinRecord.self, from: 1)),
                ] {
                    try expect("the number of \(kind)", ids.count, equals: 2 * (round + 1))
                    try expect(
                        "whether the imported one is among the \(kind)",
                        ids.contains(largest),
                        equals: true
                    )
                }
            }
        },
        ConformanceCase(.transfer, "stores an event under the id of a deleted one") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)
            _ = try await subject.attendances.findOrCreate(userID: owner.id, eventID: id)
            _ = try await subject.find(id)
            try await subject.events.delete(id, ownerID: owner.id)
            let later = try await subject.event()

            let record = EventRecord(id: id, ownerID: owner.id + 5, attributes: .bare)
            try expect("the result", subject.store([record]), equals: [.imported(id: id)])

            try await expect(
                "the event",
                subject.find(id),
                equals: Event(id: id, ownerID: owner.id + 5, attributes: .bare)
            )
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: id),
                equals: []
            )
            try await expect("the ids of all events", subject.eventIDs(), equals: [id, later])
            try await expect(
                "the event at the old place",
                subject.nearest(to: EventAttributes.picnic.coordinate, within: 1, limit: 9),
                equals: []
            )
        },
        ConformanceCase(.transfer, "keeps records that requests created under the same ids") {
            subject in
            _ = try await subject.user()
            let account = try await subject.account()
            let id = try await subject.event(.picnic)
            let task = try await subject.todoTasks.create(
                TodoTaskChange(title: "kept"),
                accountID: account.id
            )

            try expect(
                "the result for the event",
                subject.store([EventRecord(id: id, ownerID: 70, attributes: .bare)]),
                equals: [.idIsTaken]
            )
            try expect(
                "the result for the task",
                subject.store([
                    TodoTaskRecord(id: task.id, email: "new@example.com", title: "other")
                ]),
                equals: [.idIsTaken]
            )

            try await expect("the event", subject.find(id)?.attributes, equals: .picnic)
            try await expect(
                "the task",
                subject.todoTasks.all(ofAccount: account.id),
                equals: [task]
            )
            // Nothing else is left of the records that were not stored.
            try await expect(
                "the addresses of all accounts",
                subject.accounts.summaries().map(\.email),
                equals: [account.email]
            )
            try await expectRefusal(of: "the attendance of the user who was not created") {
                _ = try await subject.attendances.findOrCreate(userID: 70, eventID: id)
            }
        },
        ConformanceCase(.transfer, "leaves nothing of refused records") { subject in
            let invalid = EventAttributes.at(0, 0, name: "")
            try subject.store([event(id: 1, owner: 1)])

            for isStrict in [false, true] {
                let results =
                    try subject.store(
                        [EventRecord(id: 2, ownerID: 80, attributes: invalid)],
                        isStrict: isStrict
                    )
                    + subject.store(
                        [
                            TodoTaskRecord(
                                id: 2,
                                email: "new@example.com",
                                title: "x".repeated(256)
                            )
                        ],
                        isStrict: isStrict
                    )
                try expect(
                    "the results",
                    results.withoutReasons,
                    equals: Array(repeating: .refused(reason: "a reason"), count: 2)
                )
            }

            try await expect("the accounts", subject.accounts.summaries(), equals: [])
            try await expectRefusal(of: "the attendance of the owner of a refused event") {
                _ = try await subject.attendances.findOrCreate(userID: 80, eventID: 1)
            }
            // What the refused records would have needed can still be made.
            try subject.store([event(id: 2, owner: 80)])
            try subject.store([TodoTaskRecord(id: 2, email: "new@example.com", title: "x")])
            _ = try await subject.attendances.findOrCreate(userID: 80, eventID: 1)
        },
    ]

    private static let importsAsAWhole: [ConformanceCase] = [
        ConformanceCase(.transfer, "stores the others of thousands of records") { subject in
            let invalid = EventAttributes.at(0, 0, name: "x".repeated(256))
            let records = (1...2000).map { number in
                number % 500 == 7
                    ? EventRecord(id: nil, ownerID: 1, attributes: invalid)
                    : EventRecord(id: nil, ownerID: 1, attributes: .at(0, 0, name: "\(number)"))
            }

            let results = try subject.store(records).withoutReasons

            let numbers = results.enumerated().filter { _, result in
                if case .imported = result { false } else { true }
            }.map { $0.offset + 1 }
            try expect("the numbers of the refused", numbers, equals: [7, 507, 1007, 1507])
            let stored = try subject.stored(EventRecord.self, limit: 3000)
            try expect(
                "the results of the others",
                results.filter { $0 != .refused(reason: "a reason") },
                equals: stored.map { .imported(id: $0.id ?? 0) }
            )
            try expect(
                "the names of the others",
                stored.map(\.attributes.name),
                equals: (1...2000).filter { $0 % 500 != 7 }.map { "\($0)" }
            )
        },
        ConformanceCase(.transfer, "imports records that belong to others of the same import") {
            subject in
            let results = try subject.transfer.importRecords { session in
                try session.store([event(id: 3, owner: 4)], isStrict: true)
                    + session.store(
                        [
                            AttendanceRecord(id: 1, eventID: 3, userID: 4),
                            AttendanceRecord(id: nil, eventID: 3, userID: 5),
                        ],
                        isStrict: true
                    )
                    + session.store([event(id: nil, owner: 5)], isStrict: true)
            }

            try expect(
                "the results",
                results,
                equals: [3, 1, 2, 4].map { .imported(id: $0) }
            )
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: 3),
                equals: [
                    Attendance(id: 1, userID: 4, eventID: 3),
                    Attendance(id: 2, userID: 5, eventID: 3),
                ]
            )
        },
        ConformanceCase(.transfer, "stores no record of any kind if an import throws") { subject in
            try subject.store([event(id: 1, owner: 1)])

            try await expect("the import", throws: Refusal()) {
                _ = try subject.transfer.importRecords { session in
                    _ = try session.store([event(id: 2, owner: 60)], isStrict: false)
                    _ = try session.store(
                        [AttendanceRecord(id: 1, eventID: 1, userID: 61)],
                        isStrict: false
                    )
                    _ = try session.store(
                        [TodoTaskRecord(id: 1, email: "ana@example.com", title: "a")],
                        isStrict: false
                    )
                    _ = try session.store(
                        [CheckinRecord(id: 1, checkin: .full)],
                        isStrict: false
                    )
                    throw Refusal()
                }
            }

            try expect("the events", subject.ids(EventRecord.self, from: 0), equals: [1])
            try expect("the attendances", subject.stored(AttendanceRecord.self), equals: [])
            try await expect("the accounts", subject.accounts.summaries(), equals: [])
            try expect("the tasks", subject.stored(TodoTaskRecord.self), equals: [])
            try expect("the check-ins", subject.stored(CheckinRecord.self), equals: [])
            for user in [60, 61] as [Int64] {
                try await expectRefusal(of: "the attendance of user \(user)") {
                    _ = try await subject.attendances.findOrCreate(userID: user, eventID: 1)
                }
            }
        },
        ConformanceCase(.transfer, "exports what requests have stored") { subject in
            let owner = try await subject.user()
            let account = try await subject.account()
            let id = try await subject.event(.picnic)
            let attendance = try await subject.attendances.findOrCreate(
                userID: owner.id,
                eventID: id
            )
            let created = try await subject.todoTasks.create(
                TodoTaskChange(title: "Milk 🥛", isCompleted: true),
                accountID: account.id
            )
            try await subject.sharedTasks.add(SharedTask(taskID: 7, name: "a"))
            try await subject.checkins.add(.full)

            try expect(
                "the events",
                subject.stored(),
                equals: [EventRecord(id: id, ownerID: owner.id, attributes: .picnic)]
            )
            try expect(
                "the attendances",
                subject.stored(),
                equals: [AttendanceRecord(id: attendance.id, eventID: id, userID: owner.id)]
            )
            try expect(
                "the todo tasks",
                subject.stored(),
                equals: [
                    TodoTaskRecord(
                        id: created.id,
                        email: EmailAddress(stored: account.email),
                        title: "Milk 🥛",
                        isCompleted: true,
                        createdAt: created.createdAt,
                        updatedAt: created.updatedAt
                    )
                ]
            )
            try expect(
                "the shared tasks without their ids",
                subject.stored(SharedTaskRecord.self).map(\.task),
                equals: [SharedTask(taskID: 7, name: "a")]
            )
            try expect(
                "the check-ins without their ids",
                subject.stored(CheckinRecord.self).map(\.checkin),
                equals: [.full]
            )
        },
        ConformanceCase(.transfer, "gives imports and simultaneous requests different ids") {
            subject in
            _ = try await subject.user()

            let results = await simultaneously(32) { number -> [Int64] in
                guard number % 8 == 3 else { return [try await subject.event()] }
                // So far apart that no request has used the id.
                let id = Int64(number) * 10_000
                let results = try subject.store(
                    (0..<20).map { event(id: $0 == 9 ? id : nil, owner: 1) }
                )
                return results.compactMap { result in
                    if case .imported(let id) = result { id } else { nil }
                }
            }

            let ids = try results.flatMap { try $0.get() }
            try expect("the number of ids", ids.count, equals: 28 + 4 * 20)
            try await expect("the ids of all events", subject.eventIDs(), equals: ids.sorted())
        },
    ]

    private static func event(id: Int64?, owner: Int64) -> EventRecord {
        EventRecord(id: id, ownerID: owner, attributes: .at(0, 0))
    }
}

extension ConformanceSubject {
    /// The ids of the records of a kind from an id on.
    fileprivate func ids<Record: TransferRecord>(
        _ kind: Record.Type,
        from id: Int64
    ) throws -> [Int64] {
        try stored(kind, after: id - 1).compactMap(\.id)
    }
}
