import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The recipes of `docs/api/find-events.md`, which repeats this code.

/// Requests events from a server.
struct EventClient {
    /// Such as `https://events.example.com`.
    let server: URL
    /// The user's token, which "my events" need.
    var token: String?

    /// Returns the body of the response to a GET request.
    func get(_ path: String, _ parameters: [String: String] = [:]) async throws -> Data {
        // The order is always the same, so that a cache finds the response again.
        let items = parameters.sorted { $0.key < $1.key }.map(URLQueryItem.init)
        var request = URLRequest(url: server.appending(path: path).appending(queryItems: items))
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        let (body, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw try JSONDecoder().decode(EventError.self, from: body)
        }
        return body
    }

    /// Returns a page of events.
    func page(_ parameters: [String: String]) async throws -> EventPage {
        try JSONDecoder.api.decode(EventPage.self, from: await get("v1/events", parameters))
    }
}

/// What the server says if it returns no events.
struct EventError: Error, Decodable, Equatable {
    let message: String
    /// What is wrong with each parameter.
    let errors: [String]?
}

/// A page of events.
struct EventPage: Decodable, Equatable {
    struct Event: Decodable, Equatable, Identifiable {
        struct Owner: Decodable, Equatable {
            let id: Int
        }

        let id: Int
        let name: String
        let address: String?
        let lat, lon: Double
        let startedAt: Date
        let endedAt: Date?
        let owner: Owner
        /// In the request's `units`, km by default; nil if the request has no point.
        let distance: Double?
        /// In degrees, clockwise from north; nil at the point itself.
        let bearing: Double?
    }

    let events: [Event]
    /// The cursor of the next page; nil on the last one.
    let next: String?
}

extension EventClient {
    /// Returns the events within some km of a place that are taking place now, nearest first.
    func eventsNow(lat: Double, lon: Double, radius: Double) async throws -> [EventPage.Event] {
        try await page([
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "when": "now",
        ]).events
    }
}

extension EventClient {
    /// Returns the next events that the user attends.
    func eventsToAttend() async throws -> [EventPage.Event] {
        try await page(["attendee": "me", "when": "upcoming"]).events
    }

    /// Returns the latest events that the user has created.
    func ownEvents() async throws -> [EventPage.Event] {
        try await page(["owner": "me", "sort": "-id"]).events
    }
}

/// A list that loads more events when the user scrolls to its end.
@MainActor final class EventList {
    private(set) var events: [EventPage.Event] = []
    private(set) var isComplete = false
    private let client: EventClient
    private var parameters: [String: String]

    init(_ client: EventClient, _ parameters: [String: String]) {
        self.client = client
        self.parameters = parameters
    }

    func loadMore() async throws {
        let count = events.count
        // A page can be empty although another one follows.
        while events.count == count, !isComplete {
            let page = try await client.page(parameters)
            // An event that moved between two pages can be on both.
            events += page.events.filter { new in !events.contains { $0.id == new.id } }
            parameters["cursor"] = page.next
            isComplete = page.next == nil
        }
    }
}

/// The events of a cell of the map.
struct EventCluster: Decodable, Equatable {
    let count: Int
    /// The middle of the events.
    let lat, lon: Double
    /// The only event if the count is 1, otherwise the one with the lowest id.
    let event: EventPage.Event
}

extension EventClient {
    /// Returns the clusters in a box: west, south, east and north in degrees.
    func clusters(in box: [Double], zoom: Int) async throws -> [EventCluster] {
        struct Body: Decodable {
            let clusters: [EventCluster]
        }

        let edges = box.map { "\($0)" }.joined(separator: ",")
        let body = try await get("v1/events/clusters", ["bbox": edges, "zoom": "\(zoom)"])
        return try JSONDecoder.api.decode(Body.self, from: body).clusters
    }
}

/// Events as the layers of maps read them (GeoJSON).
struct FeatureCollection: Decodable, Equatable {
    struct Feature: Decodable, Equatable {
        struct Geometry: Decodable, Equatable {
            /// Longitude and latitude.
            let coordinates: [Double]
        }

        struct Properties: Decodable, Equatable {
            let name: String
            let startedAt: Date
        }

        let id: Int
        let geometry: Geometry
        let properties: Properties
    }

    let features: [Feature]
}

extension EventClient {
    /// Returns the events in a box.
    func features(in box: [Double]) async throws -> FeatureCollection {
        let edges = box.map { "\($0)" }.joined(separator: ",")
        let body = try await get("v1/events.geojson", ["bbox": edges])
        return try JSONDecoder.api.decode(FeatureCollection.self, from: body)
    }
}

extension EventClient {
    /// The URL at which the calendar app subscribes to events around a place.
    func calendarSubscription(lat: Double, lon: Double, radius: Double) -> URL? {
        let parameters = [
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "when": "upcoming",
        ]
        let items = parameters.sorted { $0.key < $1.key }.map(URLQueryItem.init)
        let url = server.appending(path: "v1/events.ics").appending(queryItems: items)
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.scheme = "webcal"
        return parts?.url
    }
}

extension EventClient {
    /// Saves an event as a file that the calendar app opens.
    func saveCalendar(ofEvent id: Int) async throws -> URL {
        let file = URL.temporaryDirectory.appending(path: "event-\(id).ics")
        try await get("v1/events/\(id).ics").write(to: file)
        return file
    }
}

extension EventClient {
    /// Saves upcoming events around a place as a table.
    func saveTable(lat: Double, lon: Double, radius: Double) async throws -> URL {
        let file = URL.temporaryDirectory.appending(path: "events.csv")
        let body = try await get(
            "v1/events.csv",
            ["lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "when": "upcoming"]
        )
        try body.write(to: file)
        return file
    }
}

extension EventClient {
    /// Returns the newest upcoming events within some km of a place.
    func newEvents(lat: Double, lon: Double, radius: Double) async throws -> [EventPage.Event] {
        try await page([
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "when": "upcoming",
            "sort": "-id",
        ]).events
    }
}
