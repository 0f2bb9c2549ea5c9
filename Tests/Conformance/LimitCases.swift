import Events
import Model
import Time

extension ConformanceCases {
    static let limits: [ConformanceCase] = [
        ConformanceCase(.limits, "accepts the longest texts of an event") { subject in
            let owner = try await subject.user()
            // One to four bytes for each character.
            for character in ["x", "é", "字", "🧺"] {
                var longest = EventAttributes.at(0, 0, name: character.repeated(255))
                longest.address = character.repeated(1000)
                let id = try await subject.event(longest)

                try await expect(
                    "the event",
                    subject.find(id),
                    equals: Event(id: id, ownerID: owner.id, attributes: longest)
                )
            }
        },
        ConformanceCase(.limits, "refuses to create an invalid event") { subject in
            _ = try await subject.user()
            for (problem, attributes) in invalidEvents {
                try await expectRefusal(of: "the creation with \(problem)") {
                    _ = try await subject.event(attributes)
                }
            }

            try await expect("the ids of all events", subject.eventIDs(), equals: [])
        },
        ConformanceCase(.limits, "refuses to make an event invalid") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)
            for (problem, attributes) in invalidEvents {
                try await expectRefusal(of: "the update to \(problem)") {
                    try await subject.events.update(id, ownerID: owner.id) { _ in attributes }
                }
            }

            let expected = Event(id: id, ownerID: owner.id, attributes: .picnic)
            try await expect("the event", subject.find(id), equals: expected)
            try await expect(
                "the nearest event",
                subject.nearest(
                    to: EventAttributes.picnic.coordinate,
                    within: 0,
                    limit: 9
                ),
                equals: [expected]
            )
        },
        ConformanceCase(.limits, "refuses digests of another length") { subject in
            for length in [0, 31, 33] {
                let digest = TokenDigest(bytes: [UInt8](repeating: 1, count: length))
                try await expectRefusal(of: "the creation of a user with \(length) bytes") {
                    _ = try await subject.users.create(token: digest)
                }
                try await expectRefusal(of: "the creation of an account with \(length) bytes") {
                    _ = try await subject.accounts.create(
                        .named("ana@example.com"),
                        passwordHash: "hash",
                        token: digest
                    )
                }
                try await expect(
                    "the user with \(length) bytes",
                    subject.users.find(token: digest),
                    equals: nil
                )
            }
            // Nothing is left of the account either.
            _ = try await subject.account("ana@example.com")
        },
        ConformanceCase(.limits, "refuses titles of tasks above 255 characters") { subject in
            let account = try await subject.account()
            let longest = TodoTaskChange(title: "🧺".repeated(255))
            let tooLong = TodoTaskChange(title: "🧺".repeated(256))
            let task = try await subject.todoTasks.create(longest, accountID: account.id)

            try expect("the title", task.title, equals: "🧺".repeated(255))
            try await expectRefusal(of: "the creation with a longer title") {
                _ = try await subject.todoTasks.create(tooLong, accountID: account.id)
            }
            try await expectRefusal(of: "the update to a longer title") {
                try await subject.todoTasks.update(
                    task.id,
                    accountID: account.id,
                    if: nil,
                    tooLong
                )
            }
            try await expect(
                "the tasks",
                subject.todoTasks.all(ofAccount: account.id),
                equals: [task]
            )
        },
        ConformanceCase(.limits, "refuses names of shared tasks above 255 characters") { subject in
            let longest = SharedTask(taskID: 1, name: "é".repeated(255))

            try await subject.sharedTasks.add(longest)
            try await expectRefusal(of: "a longer name") {
                try await subject.sharedTasks.add(SharedTask(taskID: 1, name: "é".repeated(256)))
            }

            try await expect("the tasks", subject.sharedTasks.pending(), equals: [longest])
        },
        ConformanceCase(.limits, "refuses invalid check-ins") { subject in
            let (text, tooLong) = ("é".repeated(255), "é".repeated(256))
            let time = Timestamp(milliseconds: 0)
            let longest = Checkin(name: text, category: text, userName: text, localTime: time)

            try await subject.checkins.add(longest)
            for (problem, invalid) in [
                ("a long name", Checkin(name: tooLong, localTime: time)),
                ("a long category", Checkin(category: tooLong, localTime: time)),
                ("a long user name", Checkin(userName: tooLong, localTime: time)),
                ("a latitude of 90.5", Checkin(latitude: 90.5, localTime: time)),
                ("a longitude of -180.5", Checkin(longitude: -180.5, localTime: time)),
            ] {
                try await expectRefusal(of: "the check-in with \(problem)") {
                    try await subject.checkins.add(invalid)
                }
            }

            try await expect(
                "the check-ins",
                subject.checkins.newest(limit: 9).map(\.checkin),
                equals: [longest]
            )
        },
        ConformanceCase(.limits, "creates records after the largest id of an import") { subject in
            let largest = ImportResult.largestID
            let owner = try await subject.user()
            let record = EventRecord(id: largest, ownerID: owner.id, attributes: .bare)
            try expect("the import", subject.store([record]), equals: [.imported(id: largest)])

            let created = try await subject.event()

            try expect("whether \(created) is above it", created > largest, equals: true)
            try await expect("the ids", subject.eventIDs(), equals: [largest, created])
        },
    ]

    private static let invalidEvents: [(problem: String, attributes: EventAttributes)] = [
        ("a latitude of 90.5", .at(90.5, 0)),
        ("a latitude of -90.5", .at(-90.5, 0)),
        ("a longitude of 180.5", .at(0, 180.5)),
        ("a longitude of -180.5", .at(0, -180.5)),
        ("a latitude that is not a number", .at(.nan, 0)),
        ("a longitude that is infinite", .at(0, .infinity)),
        ("an empty name", .at(0, 0, name: "")),
        ("a blank name", .at(0, 0, name: " \n\t")),
        ("a name of 256 characters", .at(0, 0, name: "é".repeated(256))),
        (
            "an address of 1001 characters",
            EventAttributes(
                name: "event",
                address: "é".repeated(1001),
                coordinate: Coordinate(latitude: 0, longitude: 0),
                startedAt: Timestamp(milliseconds: 0)
            )
        ),
    ]
}
