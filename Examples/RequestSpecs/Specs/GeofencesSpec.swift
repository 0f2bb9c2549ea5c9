import Foundation
import XCTest

/// The regions of `docs/geofences.md`.
final class GeofencesSpec: XCTestCase {
    private let phone = Phone()

    func testWatches19PlacesUpToThe20th() async throws {
        let user = try await signUp()
        var events: [Event] = []
        for number in 1...21 {
            let north = 0.01 * Double(number)
            try await events.append(createEvent(by: user, .concert(of: user, north: north)))
        }

        // Only places within 20 km count.
        let place = (lat: user.home.lat + 0.1, lon: user.home.lon)
        let watch = try await renew(at: place)

        let nearest = events.sorted { abs($0.lat - place.lat) < abs($1.lat - place.lat) }
        XCTAssertEqual(
            Set(watch.places.compactMap { Region.event($0.id) }),
            Set(nearest.prefix(19).map(\.id))
        )
        XCTAssertEqual(watch.places.map(\.radius), Array(repeating: 150, count: 19))
        // A degree is 111.194927 km.
        XCTAssertEqual(watch.exit.radius, 0.1 * 111_194.927 - 150, accuracy: 0.01)
        XCTAssertEqual([watch.exit.lat, watch.exit.lon], [place.lat, place.lon])
        XCTAssert(watch.isExact)
        let regions = await phone.regions
        XCTAssertEqual(Set(regions.keys), Set(watch.places.map(\.id) + ["exit"]))
        XCTAssertNil(Region.event(Region.exit))
    }

    func testWatchesAllOfFewPlaces() async throws {
        let user = try await signUp()
        let later = Date(timeIntervalSince1970: 1_906_567_500)
        for end in [later.addingTimeInterval(60), later, nil] {
            var event = EventAttributes.concert(of: user, north: 0.1)
            event.endedAt = end
            _ = try await createEvent(by: user, event)
        }
        // It is over.
        _ = try await createEvent(
            by: user,
            .concert(of: user, north: 0, from: 1_600_000_000, to: 1_600_000_001)
        )

        let watch = try await renew(at: user.home)

        XCTAssertEqual(watch.places.count, 3)
        XCTAssertEqual(watch.exit.radius, 19_850)
        XCTAssert(watch.isExact)
        XCTAssertEqual(watch.renewal, later)
    }

    func testReportsThatPlacesAreTooDense() async throws {
        let user = try await signUp()
        for number in 1...20 {
            let north = 0.0001 * Double(number)
            _ = try await createEvent(by: user, .concert(of: user, north: north))
        }

        let watch = try await renew(at: user.home)

        XCTAssertEqual(watch.exit.radius, 200)
        XCTAssertFalse(watch.isExact)
    }

    func testReplacesOnlyWhatHasChanged() async throws {
        let user = try await signUp()
        let stays = try await createEvent(by: user)
        let moves = try await createEvent(by: user)
        let leaves = try await createEvent(by: user)
        try await renew(at: user.home)
        let (lat, lon) = (user.home.lat + 0.01, user.home.lon)

        _ = try await patch("/v1/events/\(moves.id)", ["lat": lat], as: user)
        _ = try await delete("/v1/events/\(leaves.id)", as: user)
        try await renew(at: (lat: lat, lon: lon))

        let regions = await phone.regions
        let (added, removed) = (await phone.added, await phone.removed)
        XCTAssertEqual(regions["exit"]?.lat, lat)
        XCTAssertEqual(
            Set(regions.keys),
            ["exit", "\(stays.id) \(stays.lat) \(lon)", "\(moves.id) \(lat) \(lon)"]
        )
        // Otherwise, nothing would wake an app that is killed in between.
        XCTAssertFalse(removed.contains("exit"))
        XCTAssertEqual(added.filter { Region.event($0) == stays.id }.count, 1)
        XCTAssertEqual(added.filter { Region.event($0) == moves.id }.count, 2)
    }

    func testTriesAgainAfter200MetresWithoutNetwork() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let watch = try await renew(at: user.home)
        let nowhere = try XCTUnwrap(URL(string: "http://127.0.0.1:1"))
        let watcher = RegionWatcher(EventClient(server: nowhere, token: nil), monitor: phone)

        let nothing = await watcher.renew(lat: user.home.lat, lon: user.home.lon)

        XCTAssertNil(nothing)
        let regions = await phone.regions
        XCTAssertEqual(watch.places.compactMap { Region.event($0.id) }, [event.id])
        XCTAssertEqual(Set(regions.keys), Set(watch.places.map(\.id) + ["exit"]))
        XCTAssertEqual(regions["exit"]?.radius, 200)
    }

    func testRenewsOneAtATime() async throws {
        let user = try await signUp()
        for number in 1...60 {
            let north = 0.01 * Double(number)
            _ = try await createEvent(by: user, .concert(of: user, north: north))
        }
        let watcher = RegionWatcher(try client(), monitor: phone)

        await withTaskGroup { group in
            for number in 0...5 {
                let (lat, lon) = (user.home.lat + Double(number) * 0.1, user.home.lon)
                group.addTask { _ = await watcher.renew(lat: lat, lon: lon) }
            }
        }

        let (regions, most) = (await phone.regions, await phone.most)
        let exit = try XCTUnwrap(regions["exit"])
        let watch = try await client().watch(lat: exit.lat, lon: exit.lon)
        XCTAssertEqual(Set(regions.keys), Set(watch.places.map(\.id) + ["exit"]))
        XCTAssertLessThanOrEqual(most, 20)
    }

    func testNoticesNewPlaces() async throws {
        let user = try await signUp()
        let watch = try await renew(at: user.home)
        let before = try await client().hasChanged(watch)
        _ = try await createEvent(by: user, .concert(of: user, north: 0.5))
        let elsewhere = try await client().hasChanged(watch)
        _ = try await createEvent(by: user, .concert(of: user, north: 0.1))
        let after = try await client().hasChanged(watch)

        XCTAssertEqual([before, elsewhere, after], [false, false, true])

        let old = Watch(
            places: [],
            exit: watch.exit,
            isExact: true,
            renewal: nil,
            cursor: "00000000-1-0000"
        )
        let isUnknown = try await client().hasChanged(old)
        XCTAssert(isUnknown)
    }

    /// Walks among the places of eight towns, and looks at each step for unwatched places.
    func testNoPlaceIsEnteredUnwatched() async throws {
        let user = try await signUp()
        let seed = ProcessInfo.processInfo.environment["HUMON_SEED"].flatMap { UInt64($0) }
        var random = Generator(seed: seed ?? .random(in: 1...1_000_000))
        let message = "HUMON_SEED=\(random.state)"
        let map = Map(home: user.home, &random)
        for place in map.towns.joined() {
            var event = EventAttributes.concert(of: user)
            (event.lat, event.lon) = map.degrees(place)
            _ = try await createEvent(by: user, event)
        }
        let client = try client()

        var (walk, naive) = (Walk(map: map), Walk(map: map))
        for _ in 0..<60 {
            let path = map.path(&random)
            try await walk.follow(path) { try await client.watch(lat: $0, lon: $1) }
            try await naive.follow(path) { lat, lon in
                try await client.naiveWatch(lat: lat, lon: lon)
            }
        }

        print("\(walk.entries) entries, \(walk.requests) requests, naive: \(naive.missed) missed")
        XCTAssertGreaterThan(walk.entries, 1000, message)
        XCTAssertEqual(walk.missed, 0, message)
        XCTAssertGreaterThan(naive.missed, 0, message)
    }

    @discardableResult
    private func renew(at place: (lat: Double, lon: Double)) async throws -> Watch {
        let watcher = RegionWatcher(try client(), monitor: phone)
        let watch = await watcher.renew(lat: place.lat, lon: place.lon)
        return try XCTUnwrap(watch)
    }
}

/// A phone that watches regions.
private actor Phone: RegionMonitor {
    private(set) var regions: [String: Region] = [:]
    private(set) var added: [String] = []
    private(set) var removed: [String] = []
    /// The greatest number of regions so far.
    private(set) var most = 0

    var identifiers: [String] { Array(regions.keys) }

    func add(_ region: Region) async {
        await Task.yield()
        regions[region.id] = region
        added.append(region.id)
        most = max(most, regions.count)
    }

    func remove(_ identifier: String) async {
        await Task.yield()
        regions[identifier] = nil
        removed.append(identifier)
    }
}

extension EventClient {
    /// The twin that must fail: always the 20 nearest places, until the phone is 1 km away.
    fileprivate func naiveWatch(lat: Double, lon: Double) async throws -> Watch {
        let events = try await page(["lat": "\(lat)", "lon": "\(lon)", "limit": "20"]).events
        return Watch(
            places: events.map { Region($0, radius: 150) },
            exit: Region(id: Region.exit, lat: lat, lon: lon, radius: 1000),
            isExact: true,
            renewal: nil,
            cursor: ""
        )
    }
}

/// A point in metres east and north of a user's home.
private struct Point {
    var x, y: Double
}

/// Eight towns with 50 places each, dense in the middle.
private struct Map {
    let home: (lat: Double, lon: Double)
    private(set) var towns: [[Point]] = []

    init(home: (lat: Double, lon: Double), _ random: inout Generator) {
        self.home = home
        for _ in 0..<8 {
            let (x, y) = (random.number(in: 8000), random.number(in: 8000))
            let places = (0..<50).map { _ in
                let distance = 2000 * random.number(in: 1)
                let direction = random.number(in: .pi)
                return Point(x: x + distance * cos(direction), y: y + distance * sin(direction))
            }
            towns.append(places)
        }
    }

    func degrees(_ point: Point) -> (lat: Double, lon: Double) {
        let lat = home.lat + point.y / 111_194.927
        return (lat, home.lon + point.x / 111_194.927 / cos(home.lat * .pi / 180))
    }

    /// Returns the points of a walk from place to place through two towns, 40 m a step.
    func path(_ random: inout Generator) -> [Point] {
        let places = (0..<2).flatMap { _ in
            (towns.randomElement(using: &random) ?? []).shuffled(using: &random).prefix(4)
        }
        return zip(places, places.dropFirst()).flatMap { start, end in
            let (x, y) = (end.x - start.x, end.y - start.y)
            let count = (hypot(x, y) / 40).rounded(.up)
            return (0..<Int(count)).map { number in
                let part = Double(number) / count
                return Point(x: start.x + part * x, y: start.y + part * y)
            }
        }
    }
}

/// A count of what happens on walks.
private struct Walk {
    let map: Map
    private(set) var entries = 0
    private(set) var missed = 0
    private(set) var requests = 0

    init(map: Map) {
        self.map = map
    }

    mutating func follow(
        _ path: [Point],
        _ request: (Double, Double) async throws -> Watch
    ) async throws {
        let places = map.towns.joined().map(map.degrees)
        var inside: Set<Int> = []
        var watch: Watch?
        for point in path {
            let (lat, lon) = map.degrees(point)
            var current = watch
            if current.map({ $0.exit.distance(lat: lat, lon: lon) > $0.exit.radius }) ?? true {
                current = try await request(lat, lon)
                watch = current
                requests += 1
            }
            let watched = (current?.places ?? []).filter {
                $0.distance(lat: lat, lon: lon) <= $0.radius
            }
            let now = places.indices.filter {
                let region = Region(id: "", lat: places[$0].lat, lon: places[$0].lon, radius: 150)
                return region.distance(lat: lat, lon: lon) <= region.radius
            }
            if current?.isExact ?? true {
                entries += Set(now).subtracting(inside).count
                missed += now.count - watched.count
            }
            inside = Set(now)
        }
    }
}

extension Region {
    /// The distance of the centre in metres.
    fileprivate func distance(lat: Double, lon: Double) -> Double {
        let (a, b) = (self.lat * .pi / 180, lat * .pi / 180)
        let (north, east) = (sin((a - b) / 2), sin((self.lon - lon) * .pi / 360))
        return 2 * 6_371_000 * asin(sqrt(north * north + cos(a) * cos(b) * east * east))
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    private(set) var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var result = state
        result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
        result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
        return result ^ (result >> 31)
    }

    /// Returns a number between -limit and limit.
    mutating func number(in limit: Double) -> Double {
        .random(in: -limit...limit, using: &self)
    }
}
