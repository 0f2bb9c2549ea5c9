import Events
import Model
import Rules
import Time

extension ConformanceCases {
    static let races: [ConformanceCase] = uniqueRecords + changesAndDeletions + ownChanges

    private static let uniqueRecords: [ConformanceCase] = [
        ConformanceCase(.concurrency, "creates one user with a token") { subject in
            let results = await simultaneously(32) { _ in try await subject.user() }

            try expectOneSuccess(
                of: "the creations",
                among: results,
                others: ModelError.invalid([
                    AttributeError("Device token", "has already been taken")
                ])
            )
        },
        ConformanceCase(.concurrency, "creates one account with a token") { subject in
            let results = await simultaneously(32) { number in
                try await subject.account("a\(number)@example.com")
            }

            try expectOneSuccess(of: "the creations", amongRefusals: results)
            try await expect(
                "the ids of all accounts",
                subject.accounts.summaries().map(\.id),
                equals: results.compactMap { try? $0.get().id }
            )
        },
        ConformanceCase(.concurrency, "signs out once") { subject in
            _ = try await subject.account()

            let results = await simultaneously(32) { _ in
                try await subject.accounts.signOut(token: TokenDigest(1))
            }

            let signedOut = try results.map { try $0.get() }.count { $0 }
            try expect("how many of the sign-outs end the session", signedOut, equals: 1)
        },
        ConformanceCase(.concurrency, "deletes an attendance once") { subject in
            let user = try await subject.user()
            let id = try await subject.event()
            let attendances = subject.attendances
            let attendance = try await attendances.findOrCreate(userID: user.id, eventID: id)
            let accept: Precondition<Attendance> = { _ in }

            try await expectOneDeletion { isConditional in
                try await attendances.delete(
                    attendance.id,
                    userID: user.id,
                    if: isConditional ? accept : nil
                )
            }
        },
        ConformanceCase(.concurrency, "deletes a task once") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let task = try await tasks.create(TodoTaskChange(), accountID: account.id)
            let accept: Precondition<TodoTask> = { _ in }

            try await expectOneDeletion { isConditional in
                try await tasks.delete(
                    task.id,
                    accountID: account.id,
                    if: isConditional ? accept : nil
                )
            }
        },
    ]

    private static let changesAndDeletions: [ConformanceCase] = [
        ConformanceCase(.concurrency, "applies one conditional change or deletion") { subject in
            let owner = try await subject.user()
            for attributes in [EventAttributes.picnic, .bare, .at(1, 1)] {
                let id = try await subject.event(attributes)
                let isUnchanged: Precondition<Event> = { event in
                    if event.attributes != attributes { throw Refusal() }
                }

                let results = await simultaneously(32) { number in
                    guard number % 2 == 0 else {
                        return try await subject.events.delete(
                            id,
                            ownerID: owner.id,
                            if: isUnchanged
                        )
                    }
                    try await subject.events.update(id, ownerID: owner.id, if: isUnchanged) { _ in
                        .at(3, 4, name: "\(number)")
                    }
                }

                let winner = results.firstIndex { if case .success = $0 { true } else { false } }
                if let found = try await subject.find(id) {
                    try expectOneSuccess(of: "the requests", among: results, others: Refusal())
                    let name = winner.map { "\($0)" }
                    try expect("the name", found.attributes.name, equals: name ?? "")
                } else {
                    let error = ModelError.notFound
                    try expectOneSuccess(of: "the requests", among: results, others: error)
                    try expect("whether a deletion succeeded", winner.map { $0 % 2 }, equals: 1)
                }
            }
        },
        ConformanceCase(.concurrency, "leaves no attendance of an event that is deleted") {
            subject in
            for token in 0..<4 { _ = try await subject.user(token) }
            let owner = try await subject.user(4)
            let id = try await subject.event(token: 4)

            let results = await simultaneously(32) { number in
                guard number != 12 else {
                    return try await subject.events.delete(id, ownerID: owner.id)
                }
                let user = owner.id - 1 - Int64(number % 4)
                do {
                    _ = try await subject.attendances.findOrCreate(userID: user, eventID: id)
                } catch ModelError.notFound {}
            }

            for result in results { try result.get() }
            try await expect("the attendances", subject.attendances.all(ofEvent: id), equals: nil)
            try expect("all attendances", subject.stored(AttendanceRecord.self), equals: [])
        },
        ConformanceCase(.concurrency, "stores no event after its user's token is revoked") {
            subject in
            let owner = try await subject.user()

            let results = await simultaneously(32) { number -> Int64? in
                guard number == 8 else {
                    return try await subject.events.create(.picnic, token: TokenDigest(1))
                }
                try await subject.signIns.revokeTokens(of: owner.id, device: nil, by: "cli:ana")
                // From now on, no event is created.
                let id = try await subject.events.create(.picnic, token: TokenDigest(1))
                try expect("the event after the revocation", id, equals: nil)
                return nil
            }

            let ids = try results.compactMap { try $0.get() }
            try await expect("the ids of all events", subject.eventIDs(), equals: ids.sorted())
        },
        ConformanceCase(.concurrency, "keeps changes to different fields of a task") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let task = try await tasks.create(TodoTaskChange(), accountID: account.id)
            let accept: Precondition<TodoTask> = { _ in }

            let results = await simultaneously(32) { number in
                try await tasks.update(
                    task.id,
                    accountID: account.id,
                    if: number % 4 < 2 ? nil : accept,
                    number % 2 == 0
                        ? TodoTaskChange(title: "new") : TodoTaskChange(isCompleted: true)
                )
            }

            for result in results { try result.get() }
            let found = try await tasks.find(task.id, accountID: account.id)
            try expect("the title", found?.title, equals: "new")
            try expect("whether it is completed", found?.isCompleted, equals: true)
        },
    ]

    private static let ownChanges: [ConformanceCase] = [
        ConformanceCase(.concurrency, "shows clients their own changes in every search") {
            subject in
            let owner = try await subject.user()

            let results = await simultaneously(32) { number in
                let (before, after) = (
                    Coordinate(latitude: Double(number), longitude: 10),
                    Coordinate(latitude: -Double(number), longitude: -20)
                )
                let id = try await subject.event(.at(before))
                try await subject.expectAlone(id, at: before)
                try await subject.events.update(id, ownerID: owner.id) { _ in .at(after) }
                try await subject.expectAlone(id, at: after)
                try await subject.expectAlone(nil, at: before)
                try await subject.events.delete(id, ownerID: owner.id)
                try await subject.expectAlone(nil, at: after)
            }

            for result in results { try result.get() }
        },
        ConformanceCase(.concurrency, "finds unchanged events while others move") { subject in
            let fixed = try subject.store(
                (0..<20).map { Coordinate(latitude: 0, longitude: Double($0) / 10) }
            )
            let moving = try subject.store(
                Array(repeating: Coordinate(latitude: 0, longitude: 1), count: 16)
            )
            let origin = Coordinate(latitude: 0, longitude: 0)

            let results = await simultaneously(32) { number in
                for round in 1...4 {
                    if number % 2 == 0 {
                        let latitude = Double(round % 2) * 45
                        try await subject.events.update(moving[number / 2], ownerID: 1) { _ in
                            .at(latitude, Double(number))
                        }
                    } else {
                        let found = try await subject.stores.events.nearest(
                            to: origin,
                            within: 20_100,
                            limit: 1000
                        ).map(\.id)
                        try expect(
                            "the ids of the unchanged events",
                            found.filter(fixed.contains),
                            equals: fixed
                        )
                        try expect("the number of different ids", Set(found).count, equals: 36)
                        try expect("the number of ids", found.count, equals: 36)
                    }
                }
            }

            for result in results { try result.get() }
        },
        ConformanceCase(.concurrency, "keeps texts of simultaneous requests apart") { subject in
            _ = try await subject.user()

            let results = await simultaneously(64) { number in
                var attributes = EventAttributes.at(0, 0)
                attributes.name = "{\(number),\"NULL\"} \\ ' é\u{301} 🧺"
                attributes.address = number % 3 == 0 ? nil : "\(number)\\\",NULL"
                attributes.endedAt = number % 2 == 0 ? nil : .latest
                let id = try await subject.event(attributes)
                try await expect(
                    "the attributes of the new event",
                    subject.find(id)?.attributes,
                    equals: attributes
                )
            }

            for result in results { try result.get() }
        },
    ]
}

/// Deletes a record 32 times at once, every second time with a condition.
///
/// Throws `ConformanceFailure` unless one deletion succeeds and the others don't find the record.
private func expectOneDeletion(
    _ delete: @escaping @Sendable (_ isConditional: Bool) async throws -> Void
) async throws {
    let results = await simultaneously(32) { number in try await delete(number % 2 == 1) }
    try expectOneSuccess(of: "the deletions", among: results, others: ModelError.notFound)
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless every kind of search at a place finds this event alone,
    /// or nothing if `id` is nil.
    fileprivate func expectAlone(_ id: Int64?, at place: Coordinate) async throws {
        let ids = [id].compactMap(\.self)
        let name = "the events at \(place.latitude), \(place.longitude)"
        try await expect(
            name,
            nearest(to: place, within: 0, limit: 9).map(\.id),
            equals: ids
        )
        var filter = EventFilter()
        filter.box = BoundingBox(
            west: place.longitude,
            south: place.latitude,
            east: place.longitude,
            north: place.latitude
        )
        let query = EventQuery(filter: filter, order: .id(isDescending: false), limit: 9)
        try await expect("the page of \(name)", page(query).ids, equals: ids)
        try await expect(
            "the clusters of \(name)",
            stores.events.clusters(ClusterQuery(filter: filter, zoom: 9)).map(\.count),
            equals: ids.map { _ in 1 }
        )
    }
}
