import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The recipes of `docs/api/find-events.md` contain this code.

/// Requests events from a server.
struct EventClient {
    /// The server's address, such as `https://events.example.com`.
    let server: URL
    /// The user's token, for "my events".
    var token: String?

    /// Returns the body of the response to a GET request.
    func get(_ path: String, _ parameters: [String: String] = [:]) async throws -> Data {
        // Always in the same order, so that caches recognise the URL.
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

/// The error in a response.
struct EventError: Error, Decodable, Equatable {
    let message: String
    /// One sentence for each invalid parameter.
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
        let description, category, status, seriesId: String?
        let url, imageUrl: URL?
        let tags: [String]?
        /// The distance in the request's `units` (km by default), or nil if the request has no
        /// point.
        let distance: Double?
        /// The direction in degrees, clockwise from north, or nil at the point itself.
        let bearing: Double?
    }

    let events: [Event]
    /// The cursor of the next page, or nil on the last page.
    let next: String?
}

extension EventClient {
    /// Returns the events within `radius` km of a place that are taking place now, nearest first.
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

    /// Returns the user's own events, newest first.
    func ownEvents() async throws -> [EventPage.Event] {
        try await page(["owner": "me", "sort": "-id"]).events
    }
}

/// A list that loads more events when the user reaches its end.
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
        // A page can be empty and still have a next page.
        while events.count == count, !isComplete {
            let page = try await client.page(parameters)
            // An event that moves between two requests can be on both pages.
            events += page.events.filter { new in !events.contains { $0.id == new.id } }
            parameters["cursor"] = page.next
            isComplete = page.next == nil
        }
    }
}

/// The events of a cell of the map.
struct EventCluster: Decodable, Equatable {
    let count: Int
    /// The mean position of the events.
    let lat, lon: Double
    /// The event with the lowest id; the only event if the count is 1.
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

/// Events as GeoJSON, which map libraries read.
struct FeatureCollection: Decodable, Equatable {
    struct Feature: Decodable, Equatable {
        struct Geometry: Decodable, Equatable {
            /// The longitude and the latitude.
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
    /// The URL that subscribes the calendar app to events around a place.
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
    /// Saves an event as a file for the calendar app.
    func saveCalendar(ofEvent id: Int) async throws -> URL {
        let file = URL.temporaryDirectory.appending(path: "event-\(id).ics")
        try await get("v1/events/\(id).ics").write(to: file)
        return file
    }
}

extension EventClient {
    /// Saves upcoming events around a place as a CSV file.
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
    /// Returns the upcoming events within `radius` km of a place, newest first.
    func newEvents(lat: Double, lon: Double, radius: Double) async throws -> [EventPage.Event] {
        try await page([
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "when": "upcoming",
            "sort": "-id",
        ]).events
    }
}

/// The results of a search field.
@MainActor final class SearchResults {
    private(set) var events: [EventPage.Event] = []
    private let client: EventClient
    private var latest = ""

    init(_ client: EventClient) {
        self.client = client
    }

    /// Finds the events for a text.
    ///
    /// Call it whenever the text changes.
    func update(_ text: String, lat: Double, lon: Double) async throws {
        latest = text
        let page = try await client.page([
            "q": text, "lat": "\(lat)", "lon": "\(lon)", "when": "upcoming",
        ])
        // The responses can arrive in another order.
        if text == latest { events = page.events }
    }
}

extension EventClient {
    /// Returns the events of a category this weekend, nearest first.
    func thisWeekend(
        _ category: String,
        lat: Double,
        lon: Double,
        zone: TimeZone = .current
    ) async throws -> [EventPage.Event] {
        try await page([
            "category": category, "lat": "\(lat)", "lon": "\(lon)", "when": "weekend",
            "tz": zone.identifier,
        ]).events
    }
}

extension EventClient {
    /// Returns the next events of a user's series, in the order of their starts.
    func dates(ofSeries series: String, by owner: Int) async throws -> [EventPage.Event] {
        try await page([
            "series": series, "owner": "\(owner)", "when": "upcoming", "status": "any",
        ]).events
    }
}

extension EventClient {
    /// Cancels an event of the user.
    func cancel(_ id: Int) async throws {
        var request = URLRequest(url: server.appending(path: "v1/events/\(id)"))
        request.httpMethod = "PATCH"
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"status":"cancelled"}"#.utf8)
        let (body, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw try JSONDecoder().decode(EventError.self, from: body)
        }
    }
}

extension EventClient {
    /// Returns the places within `radius` km that are always open, nearest first.
    func places(lat: Double, lon: Double, radius: Double) async throws -> [EventPage.Event] {
        try await page([
            "lat": "\(lat)", "lon": "\(lon)", "radius": "\(radius)", "category": "place",
        ]).events
    }
}
