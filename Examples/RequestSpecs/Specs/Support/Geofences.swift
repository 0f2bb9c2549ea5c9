import Foundation

#if canImport(CoreLocation)
import CoreLocation
#endif

// `docs/geofences.md` contains this code.

/// A circle that the phone watches.
struct Region {
    /// The id of the circle around the phone.
    static let exit = "exit"

    let id: String
    let lat, lon: Double
    /// In metres.
    let radius: Double
}

extension Region {
    /// The circle of a place, with another id after the place has moved.
    init(_ event: EventPage.Event, radius: Double) {
        let id = "\(event.id) \(event.lat) \(event.lon)"
        self.init(id: id, lat: event.lat, lon: event.lon, radius: radius)
    }

    /// The event of a circle's id, or nil for the circle around the phone.
    static func event(_ id: String) -> Int? {
        id.split(separator: " ").first.flatMap { Int($0) }
    }
}

/// The circles to watch until the phone leaves `exit`, which is around the point of the request.
struct Watch {
    let places: [Region]
    let exit: Region
    /// Whether no other place can be entered within `exit`.
    let isExact: Bool
    /// When the first of the places is over.
    let renewal: Date?
    /// Where the feed of `reach` around the point begins.
    let cursor: String
}

extension EventClient {
    /// The radius of the searches in metres.
    private static let reach = 20_000.0

    /// Returns the circles to watch at a point.
    ///
    /// Each place is a circle of `radius` metres.
    func watch(lat: Double, lon: Double, radius: Double = 150) async throws -> Watch {
        // Before the search, so that no change is between the two.
        let cursor = try await changes(lat: lat, lon: lon, since: "now").cursor
        let events = try await page([
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(Self.reach)", "units": "m",
            "when": "upcoming", "sort": "distance", "limit": "20",
        ]).events
        // Any other place is at least as far away as this.
        let next = events.count == 20 ? events[19].distance ?? 0 : Self.reach
        let nearest = events.prefix(19)
        return Watch(
            places: nearest.map { Region($0, radius: radius) },
            // Phones don't measure better than 200 m.
            exit: Region(id: Region.exit, lat: lat, lon: lon, radius: max(next - radius, 200)),
            isExact: next - radius >= 200,
            renewal: nearest.compactMap(\.endedAt).min(),
            cursor: cursor
        )
    }

    /// Returns whether places near the point have changed since the request.
    func hasChanged(_ watch: Watch) async throws -> Bool {
        let (lat, lon) = (watch.exit.lat, watch.exit.lon)
        do {
            return try await !changes(lat: lat, lon: lon, since: watch.cursor).changes.isEmpty
        } catch is EventError {
            // The cursor is too old.
            return true
        }
    }

    private struct Changes: Decodable {
        struct Change: Decodable {
            let id: Int
        }

        let changes: [Change]
        let cursor: String
    }

    private func changes(lat: Double, lon: Double, since: String) async throws -> Changes {
        let body = try await get(
            "v1/changes",
            [
                "lat": "\(lat)", "lon": "\(lon)", "radius": "\(Self.reach)", "units": "m",
                "since": since, "limit": "1",
            ]
        )
        return try JSONDecoder().decode(Changes.self, from: body)
    }
}

/// A system that watches circles, also while the app is closed: Core Location on a phone.
protocol RegionMonitor: Sendable {
    /// The ids of the circles.
    var identifiers: [String] { get async }
    /// Adds a circle, or replaces the one with the same id.
    func add(_ region: Region) async
    func remove(_ identifier: String) async
}

/// Chooses the 20 circles that a phone watches.
actor RegionWatcher {
    private let client: EventClient
    private let monitor: any RegionMonitor
    private var latest: Task<Watch?, Never>?

    init(_ client: EventClient, monitor: any RegionMonitor) {
        self.client = client
        self.monitor = monitor
    }

    /// Watches the circles near this point, and returns them, or nil if there is no network.
    @discardableResult
    func renew(lat: Double, lon: Double) async -> Watch? {
        // One at a time.
        let (previous, client, monitor) = (latest, client, monitor)
        let task = Task {
            _ = await previous?.value
            let watch = try? await client.watch(lat: lat, lon: lon)
            if let watch {
                let new = Set(watch.places.map(\.id))
                let old = Set(await monitor.identifiers).subtracting([Region.exit])
                // First, because a phone watches only 20.
                for id in old.subtracting(new) { await monitor.remove(id) }
                // Those that stay are not entered again.
                for place in watch.places where !old.contains(place.id) { await monitor.add(place) }
            }
            // Without a network, the places stay, and the phone tries again after 200 m.
            let retry = Region(id: Region.exit, lat: lat, lon: lon, radius: 200)
            await monitor.add(watch?.exit ?? retry)
            return watch
        }
        latest = task
        return await task.value
    }
}

#if canImport(CoreLocation)
@available(iOS 17, macOS 14, *)
extension CLMonitor: RegionMonitor {
    func add(_ region: Region) {
        let center = CLLocationCoordinate2D(latitude: region.lat, longitude: region.lon)
        let circle = CircularGeographicCondition(center: center, radius: region.radius)
        add(circle, identifier: region.id)
    }
}

/// Watches the places near the phone.
///
/// Call it at each launch: iOS launches the app again when the phone enters or leaves a circle.
@available(iOS 17, macOS 14, *)
func watchPlaces(_ client: EventClient, onEnter: (Int) async -> Void) async throws {
    let monitor = await CLMonitor("places")
    let watcher = RegionWatcher(client, monitor: monitor)
    if await monitor.identifiers.isEmpty { try await renew(watcher) }
    for try await crossing in await monitor.events {
        if crossing.identifier == Region.exit, crossing.state == .unsatisfied {
            try await renew(watcher)
        } else if crossing.state == .satisfied, let event = Region.event(crossing.identifier) {
            await onEnter(event)
        }
    }
}

@available(iOS 17, macOS 14, *)
private func renew(_ watcher: RegionWatcher) async throws {
    for try await update in CLLocationUpdate.liveUpdates() {
        guard let place = update.location?.coordinate else { continue }
        await watcher.renew(lat: place.latitude, lon: place.longitude)
        return
    }
}
#endif
