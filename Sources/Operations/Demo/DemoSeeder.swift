import Events
import Formats
import Glibc
package import Model
import Rules
import Sodium
import Time

/// Adds demo records to a database.
package struct DemoSeeder {
    private static let userCount = 10
    /// The radius of the places around a city's centre, in degrees of latitude and longitude.
    private static let spread = 0.03
    /// The angle between two events in a row that fills a circle evenly, in radians
    /// (Vogel, "A better way to construct the sunflower head", 1979).
    private static let goldenAngle = Double.pi * (3 - 5.0.squareRoot())
    /// How far an event is from its place at most, in degrees of latitude and of longitude.
    ///
    /// Without it, `humon seed --again` would put events exactly on those before.
    private static let jitter = 0.001
    /// The radius of the search for demo events around a city's centre, in km.
    private static let searchRadius = 5.0
    private static let searchLimit = 1000

    private let storage: any Storage
    private let systems: Set<ServedSystem>
    /// Prints what it added.
    private let print: (String) -> Void

    /// Creates a seeder for an open storage and the systems that are enabled.
    package init(
        _ storage: any Storage,
        systems: Set<ServedSystem>,
        print: @escaping (String) -> Void
    ) {
        self.storage = storage
        self.systems = systems
        self.print = print
    }

    /// Adds the records and prints what they are.
    ///
    /// - Parameter isRepeated: Whether to add them even if the database has demo records.
    /// - Throws: `OperatorError` if the database has demo records and `isRepeated` is false.
    package func run(isRepeated: Bool) async throws {
        if !isRepeated { try await checkUnseeded() }
        var added: [String] = []
        for system in ServedSystem.allCases where systems.contains(system) {
            added.append(try await add(system))
        }
        print("Added \(added.joined(separator: ", ")).\n")
        for email in DemoRecords.emails where systems.contains(.todo) {
            let password = try await RandomPassword.set(for: email, in: storage.stores)
            print("Sign in to Todo as \(email.text) with \(password)\n")
        }
        guard systems.contains(.humon) else { return }
        let city = DemoCity.all[0]
        print(
            """
            For the events in \(city.name): \
            /v1/events/nearests?lat=\(city.latitude)&lon=\(city.longitude)

            """
        )
    }

    /// Throws if an enabled system has demo records.
    private func checkUnseeded() async throws {
        for system in ServedSystem.allCases where systems.contains(system) {
            guard try await hasDemoRecords(system) else { continue }
            throw OperatorError(
                """
                The database already has demo records of \(system.rawValue). To add all of them \
                again, run `humon seed --again`.
                """
            )
        }
    }

    private func hasDemoRecords(_ system: ServedSystem) async throws -> Bool {
        switch system {
        case .humon:
            let city = DemoCity.all[0]
            let names = Set(DemoCity.kinds.map { "\($0.name) in \(city.name)" })
            return try await storage.stores.events.nearest(
                to: Coordinate(latitude: city.latitude, longitude: city.longitude),
                within: Self.searchRadius,
                limit: Self.searchLimit
            ).contains { names.contains($0.attributes.name) }
        case .todo:
            return try await storage.stores.accounts.find(email: DemoRecords.emails[0]) != nil
        case .mytasks:
            let pending = try await storage.stores.sharedTasks.pending()
            return pending.contains(DemoRecords.ownSharedTask)
        case .twosquare:
            let ends = DemoRecords.checkins(at: .now()).suffix(1).map(\.checkin)
            let newest = try await storage.stores.checkins.newest(limit: Self.searchLimit)
            return newest.contains { stored in
                ends.contains { end in
                    end.name == stored.checkin.name && end.userName == stored.checkin.userName
                        && end.latitude == stored.checkin.latitude
                }
            }
        }
    }

    /// Adds the demo records of a system and returns a description of them.
    private func add(_ system: ServedSystem) async throws -> String {
        switch system {
        case .humon:
            let count = try await addEvents()
            let cities = Noun("city", plural: "cities").counted(DemoCity.all.count)
            return "\(Noun("demo event").counted(count)) in \(cities)"
        case .todo:
            let count = try store(DemoRecords.tasks(at: .now()))
            let accounts = Noun("account").counted(DemoRecords.emails.count)
            return "\(RecordKind.tasks.noun.counted(count)) of \(accounts)"
        case .mytasks:
            return RecordKind.sharedTasks.noun.counted(try store(DemoRecords.sharedTasks))
        case .twosquare:
            return RecordKind.checkins.noun.counted(try store(DemoRecords.checkins(at: .now())))
        }
    }

    /// Stores records, and returns their number.
    private func store(_ records: [some TransferRecord]) throws -> Int {
        try storage.transfer.importRecords { try $0.store(records, isStrict: false) }.count
    }

    private func addEvents() async throws -> Int {
        var userIDs: [Int64] = []
        for _ in 0..<Self.userCount {
            // The token is not stored anywhere, so nobody can sign in as a demo user.
            let token = TokenDigest(bytes: RandomBytes.make(count: 32))
            userIDs.append(try await storage.stores.users.create(token: token).id)
        }
        var random = SystemRandomNumberGenerator()
        let events = DemoCity.all.flatMap { city in
            DemoCity.schedule.enumerated().map { index, slot in
                let place = Self.place(index, around: city, using: &random)
                // One of them is cancelled, and one is private.
                let isFirstCity = city.name == DemoCity.all[0].name
                let special: (column: EventColumn, value: String)? =
                    switch index {
                    case 5 where isFirstCity: (.status, EventStatus.cancelled.rawValue)
                    case 6 where isFirstCity: (.visibility, EventVisibility.guests.rawValue)
                    default: nil
                    }
                return Self.event(
                    in: slot,
                    at: place,
                    of: city,
                    special,
                    ownerIDs: userIDs,
                    using: &random
                )
            }
        }
        return try store(events)
    }

    /// Returns the place of the event at an index of the schedule.
    private static func place(
        _ index: Int,
        around city: DemoCity,
        using random: inout SystemRandomNumberGenerator
    ) -> Coordinate {
        let share = (Double(index) + 0.5) / Double(DemoCity.schedule.count)
        let distance = spread * share.squareRoot()
        let angle = Double(index) * goldenAngle
        let (north, east) = (distance * cos(angle), distance * sin(angle))
        return Coordinate(
            latitude: city.latitude + north + .random(in: -jitter...jitter, using: &random),
            longitude: city.longitude + east + .random(in: -jitter...jitter, using: &random)
        )
    }

    private static func event(
        in slot: DemoCity.Slot,
        at place: Coordinate,
        of city: DemoCity,
        _ special: (column: EventColumn, value: String)?,
        ownerIDs: [Int64],
        using random: inout SystemRandomNumberGenerator
    ) -> EventRecord {
        let kinds = slot.hours > 12 ? DemoCity.longKinds : DemoCity.kinds
        let kind = kinds.randomElement(using: &random) ?? DemoCity.kinds[0]
        let hour: Int64 = 3_600_000
        // Events of many days have dates without times.
        let isAllDay = slot.hours > 100
        let unit = isAllDay ? 24 * hour : hour
        let hoursFromNow = Int64.random(in: slot.start, using: &random)
        let start = (Timestamp.now().milliseconds + hoursFromNow * hour) / unit * unit
        var attributes = EventAttributes(
            name: "\(kind.name) in \(city.name)",
            address: DemoCity.addresses.randomElement(using: &random),
            coordinate: place,
            startedAt: Timestamp(milliseconds: start),
            endedAt: Timestamp(milliseconds: start + slot.hours * hour)
        )
        let path = kind.name.lowercased().replacing(" ", with: "-")
        attributes[.description] = kind.description
        attributes[.url] = "https://events.example.com/\(path)"
        attributes[.imageURL] = "https://images.example.com/\(path).jpg"
        attributes[.category] = kind.category
        attributes[.tags] = kind.tags
        if let special { attributes[special.column] = special.value }
        attributes[.allDay] = isAllDay ? "true" : nil
        attributes[.seriesID] = path
        attributes[.data] = #"{"price":\#(Int.random(in: 0...20, using: &random))}"#
        let ownerID = ownerIDs.randomElement(using: &random) ?? 1
        return EventRecord(id: nil, ownerID: ownerID, attributes: attributes)
    }
}
