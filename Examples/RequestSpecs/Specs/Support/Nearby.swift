import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The code of `README.md`.

/// A page of events near a place.
struct Nearby: Decodable {
    struct Event: Decodable {
        let id: Int
        let name: String
        let distance: Double
    }

    let events: [Event]
}

/// Returns the events within `radius` km, nearest first.
func eventsNearby(_ server: URL, lat: Double, lon: Double, radius: Double) async throws -> Nearby {
    let place = ["lat": lat, "lon": lon, "radius": radius]
    let items = place.map { URLQueryItem(name: $0.key, value: "\($0.value)") }
    let url = server.appending(path: "v1/events").appending(queryItems: items)
    let (body, _) = try await URLSession.shared.data(from: url)
    return try JSONDecoder().decode(Nearby.self, from: body)
}
