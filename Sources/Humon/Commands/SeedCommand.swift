import Model
import SQLiteStorage
import Sodium

/// `humon seed`: adds demo users and events, so that a new database has something to show.
struct SeedCommand {
    private static let userCount = 10
    private static let eventsPerCity = 12
    /// How far around a city's centre its events are, in degrees.
    private static let spread = 0.03

    private let storage: Storage

    init(configuration: Configuration) throws {
        storage = try Storage(configuration)
    }

    func run() async throws {
        defer { storage.close() }
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
        let results = try await storage.events.importBatch(events)
        let city = DemoCity.all[0]
        Terminal.output.write(
            """
            Added \(results.count) demo events in \(DemoCity.all.count) cities. For those in \
            \(city.name): /v1/events/nearests?lat=\(city.latitude)&lon=\(city.longitude)

            """
        )
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
