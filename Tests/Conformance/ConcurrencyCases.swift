import Events
import Model
import Rules

extension ConformanceCases {
    static let concurrency: [ConformanceCase] = [
        ConformanceCase(.concurrency, "shows each update the update before it") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.at(0, 0, name: "0"))

            let results = await simultaneously(64) { _ in
                try await subject.events.update(id, ownerID: owner.id) { attributes in
                    attributes.counted
                }
            }

            for result in results { try result.get() }
            try await expect(
                "the number of updates that were counted",
                subject.find(id)?.attributes.name,
                equals: "64"
            )
        },
        ConformanceCase(.concurrency, "stores one of simultaneous conditional updates") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)
            let isUnchanged: Precondition<Event> = { event in
                guard event.attributes == .picnic else { throw Refusal() }
            }

            let results = await simultaneously(8) { number in
                try await subject.events.update(id, ownerID: owner.id, if: isUnchanged) { _ in
                    .at(3, 4, name: "\(number)")
                }
                return number
            }

            try expectOneSuccess(of: "the updates", among: results, others: Refusal())
            try await expect(
                "the name",
                subject.find(id)?.attributes.name,
                equals: results.compactMap { try? $0.get() }.first.map(String.init)
            )
            try await expect("the conditional deletion", throws: Refusal()) {
                try await subject.events.delete(id, ownerID: owner.id, if: isUnchanged)
            }
        },
        ConformanceCase(.concurrency, "loses no update that is repeated until it fits") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.at(0, 0, name: "0"))

            let results = await simultaneously(4) { _ in
                for _ in 1...8 {
                    try await subject.countOptimistically(id, ownerID: owner.id)
                }
            }

            for result in results { try result.get() }
            try await expect(
                "the number of updates that were counted",
                subject.find(id)?.attributes.name,
                equals: "32"
            )
        },
        ConformanceCase(.concurrency, "deletes an event once") { subject in
            let owner = try await subject.user()
            let id = try await subject.event()

            let results = await simultaneously(8) { _ in
                try await subject.events.delete(id, ownerID: owner.id)
            }

            try expectOneSuccess(
                of: "the deletions",
                among: results,
                others: ModelError.notFound
            )
        },
        ConformanceCase(.concurrency, "stores all events of simultaneous requests") { subject in
            for token in 0..<4 { _ = try await subject.user(token) }

            let results = await simultaneously(200) { number in
                let place = Coordinate(latitude: Double(number % 90), longitude: 0)
                let id = try await subject.event(.at(place, name: "\(number)"), token: number % 4)
                // A client must find what it has created.
                try await expect(
                    "the name of the event just created",
                    subject.find(id)?.attributes.name,
                    equals: "\(number)"
                )
                return id
            }

            let ids = try results.map { try $0.get() }
            try expect("the number of different ids", Set(ids).count, equals: 200)
            try await expect("the ids of all events", subject.eventIDs(), equals: ids.sorted())
        },
        ConformanceCase(.concurrency, "stores all records of simultaneous requests") { subject in
            let account = try await subject.account()

            let results = await simultaneously(96) { number in
                let name = "\(number)"
                switch number % 3 {
                case 0:
                    let task = TodoTaskChange(title: name)
                    _ = try await subject.todoTasks.create(task, accountID: account.id)
                case 1: try await subject.sharedTasks.add(SharedTask(taskID: 1, name: name))
                default: try await subject.checkins.add(.named(name))
                }
            }

            for result in results { try result.get() }
            let names = [
                try await subject.todoTasks.all(ofAccount: account.id).map(\.title),
                try await subject.sharedTasks.pending().map(\.name),
                try await subject.checkins.newest(limit: 100).compactMap(\.checkin.name),
            ]
            for (kind, names) in names.enumerated() {
                try expect(
                    "the stored names",
                    names.compactMap { Int($0) }.sorted(),
                    equals: Array(stride(from: kind, to: 96, by: 3))
                )
            }
        },
    ]
}

extension ConformanceSubject {
    /// Reads an event and counts it up if it has not changed since; repeats that until it is so.
    fileprivate func countOptimistically(_ id: Int64, ownerID: Int64) async throws {
        while true {
            guard let known = try await stores.events.find(id) else { throw ModelError.notFound }
            do {
                return try await stores.events.update(
                    id,
                    ownerID: ownerID,
                    if: { event in if event != known { throw Refusal() } },
                    change: { _ in known.attributes.counted }
                )
            } catch is Refusal {
                continue
            }
        }
    }
}

extension EventAttributes {
    /// The same with a name that is the next number.
    fileprivate var counted: EventAttributes {
        var counted = self
        counted.name = "\((Int(name) ?? 0) + 1)"
        return counted
    }
}
