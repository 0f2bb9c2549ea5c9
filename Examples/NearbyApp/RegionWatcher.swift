import CoreLocation
import HumonClient

/// Watches the places near the phone, also while the app is closed.
///
/// A phone watches 20 circles: the nearest 19 places, and one around the phone. Until the phone
/// leaves that one, it can't enter a place that isn't watched. See `docs/geofences.md`.
@MainActor
struct RegionWatcher {
    /// The id of the circle around the phone.
    private static let exit = "exit"
    /// The radius of each place, in metres.
    private static let radius = 150.0
    /// The radius of the search, in metres.
    private static let reach = 20_000.0

    let humon: HumonClient

    /// Calls the function for each place that the phone enters.
    ///
    /// Call this at each launch: iOS launches the app when the phone enters or leaves a circle.
    func run(onEnter: (Event.ID) async -> Void) async throws {
        Coordinate.manager.requestAlwaysAuthorization()
        let monitor = await CLMonitor("places")
        if await monitor.identifiers.isEmpty { try await renew(monitor) }
        for try await crossing in await monitor.events {
            if crossing.identifier == Self.exit, crossing.state == .unsatisfied {
                try await renew(monitor)
            } else if crossing.state == .satisfied,
                let id = crossing.identifier.split(separator: " ").first.flatMap({ Event.ID($0) })
            {
                await onEnter(id)
            }
        }
    }

    /// Chooses the circles for the place where the phone is.
    private func renew(_ monitor: CLMonitor) async throws {
        guard let phone = try await Coordinate.ofPhone() else { return }
        let query = EventQuery.near(phone, radius: .meters(Self.reach)).when(.upcoming).limit(20)
        // Without a network, the places stay, and the phone tries again after 200 m.
        var distance = 200.0
        if let events = try? await humon.events.page(query).events {
            // Phones don't measure better than 200 m. If places are that dense, choose a smaller
            // radius.
            let next = events.count == 20 ? events.last?.distance?.meters : nil
            distance = max((next ?? Self.reach) - Self.radius, 200)
            await watch(events.prefix(19), monitor)
        }
        let around = circle(phone, radius: distance)
        await monitor.add(around, identifier: Self.exit)
    }

    private func watch(_ events: ArraySlice<Event>, _ monitor: CLMonitor) async {
        // A place that has moved has another id.
        let places = events.map { event in
            let place = event.coordinate
            return ("\(event.id) \(place.latitude) \(place.longitude)", place)
        }
        let old = Set(await monitor.identifiers).subtracting([Self.exit])
        // First, because a phone watches only 20.
        for id in old.subtracting(places.map(\.0)) { await monitor.remove(id) }
        // Those that stay are not entered again.
        for (id, place) in places where !old.contains(id) {
            await monitor.add(circle(place, radius: Self.radius), identifier: id)
        }
    }

    private func circle(
        _ center: Coordinate,
        radius: Double
    ) -> CLMonitor.CircularGeographicCondition {
        CLMonitor.CircularGeographicCondition(
            center: CLLocationCoordinate2D(
                latitude: center.latitude,
                longitude: center.longitude
            ),
            radius: radius
        )
    }
}

extension Coordinate {
    /// Asks the person; the question disappears with the manager.
    @MainActor static let manager = CLLocationManager()

    /// Returns the place of the phone, or nil if it is unknown.
    @MainActor static func ofPhone() async throws -> Coordinate? {
        manager.requestWhenInUseAuthorization()
        let refusals: [CLAuthorizationStatus] = [.denied, .restricted]
        guard !refusals.contains(manager.authorizationStatus) else { return nil }
        for try await update in CLLocationUpdate.liveUpdates() {
            guard let place = update.location?.coordinate else { continue }
            return Coordinate(latitude: place.latitude, longitude: place.longitude)
        }
        return nil
    }
}
