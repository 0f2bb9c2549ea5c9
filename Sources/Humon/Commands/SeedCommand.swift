import Model
import SQLiteStorage
import Sodium

/// `humon seed`: adds demo records of each system that is served, so that a new database has
/// something to show.
struct SeedCommand {
    private static let userCount = 10
    private static let eventsPerCity = 12
    /// How far around a city's centre its events are, in degrees.
    private static let spread = 0.03

    private let storage: Storage
    private let systems: Set<System>

    init(configuration: Configuration) throws {
        storage = try Storage(configuration)
        systems = configuration.systems
    }

    func run() async throws {
        defer { storage.close() }
        var added: [String] = []
        for system in System.allCases where systems.contains(system) {
            added.append(try await add(system))
        }
        Terminal.output.write("Added \(added.joined(separator: ", ")).\n")
        guard systems.contains(.humon) else { return }
        let city = DemoCity.all[0]
        Terminal.output.write(
            """
            For the events in \(city.name): \
            /v1/events/nearests?lat=\(city.latitude)&lon=\(city.longitude)

            """
        )
    }

    /// Adds the demo records of a system and returns what they are.
    private func add(_ system: System) async throws -> String {
        switch system {
        case .humon:
            let count = try await addEvents()
            return "\(count) demo events in \(DemoCity.all.count) cities"
        case .todo:
            let tasks = DemoRecords.tasks(at: .now())
            let results = try await storage.todoTasks.importBatch(tasks)
            return "\(results.count) tasks of \(Set(tasks.map(\.email)).count) accounts"
        case .mytasks:
            let results = try await storage.sharedTasks.importBatch(DemoRecords.sharedTasks)
            return "\(results.count) shared tasks"
        case .twosquare:
            let checkins = DemoRecords.checkins(at: .now())
            return "\(try await storage.checkins.importBatch(checkins).count) check-ins"
        }
    }

    private func addEvents() async throws -> Int {
        var userIDs: [Int64] = []
        for _ in 0..<Self.userCount {
            // Nobody knows the token: a demo user can't sign in.
            let token = TokenDigest(bytes: RandomBytes.make(count: 32))
            userIDs.append(try await storage.users.create(token: token).id)
        }
        var random = SystemRandomNumberGenerator()
        let events = DemoCity.all.flatMap { city in
            (0..<Self.eventsPerCity).map { _ in
                Self.event(around: city, ownerIDs: userIDs, using: &random)
            }
        }
        return try await storage.events.importBatch(events).count
    }

    private static func event(
        around city: DemoCity,
        ownerIDs: [Int64],
        using random: inout SystemRandomNumberGenerator
    ) -> ImportedEvent {
        let kind = DemoCity.eventNames.randomElement(using: &random) ?? "Picnic"
        let hour: Int64 = 3_600_000
        let start = Timestamp.now().milliseconds + Int64.random(in: 1...720, using: &random) * hour
        let startedAt = Timestamp(milliseconds: start / hour * hour)
        return ImportedEvent(
            id: nil,
            ownerID: ownerIDs.randomElement(using: &random) ?? 1,
            attributes: EventAttributes(
                name: "\(kind) in \(city.name)",
                coordinate: Coordinate(
                    latitude: city.latitude + .random(in: -spread...spread, using: &random),
                    longitude: city.longitude + .random(in: -spread...spread, using: &random)
                ),
                startedAt: startedAt,
                endedAt: Timestamp(milliseconds: startedAt.milliseconds + 3 * hour)
            )
        )
    }
}
