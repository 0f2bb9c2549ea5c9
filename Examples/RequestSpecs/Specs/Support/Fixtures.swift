import Foundation
import XCTest

/// A user of the app.
struct User {
    let id: Int
    let token: String

    /// A token that no user has.
    static let unknown = User(id: 0, token: "00000000-0000-4000-8000-000000000000")

    /// A place where no other user has events: at least 100 km from any other.
    var home: (lat: Double, lon: Double) {
        (lat: Double(id % 120) - 59.75, lon: Double(id / 120 % 180) * 2 - 179.75)
    }
}

extension EventAttributes {
    /// A valid event at the user's home or some degrees north of it, without what is optional.
    static func concert(of user: User, north degrees: Double = 0) -> EventAttributes {
        EventAttributes(
            name: "Concert",
            lat: user.home.lat + degrees,
            lon: user.home.lon,
            startedAt: Date(timeIntervalSince1970: 1_906_567_200)
        )
    }

    /// A concert with words, a category and a series.
    static func lateJazz(of user: User) -> EventAttributes {
        var attributes = concert(of: user)
        attributes.name = "Late jazz"
        attributes.category = "music"
        attributes.seriesId = "late-jazz"
        return attributes
    }

    /// The concert between two times in seconds since 1970.
    static func concert(
        of user: User,
        north degrees: Double,
        from start: TimeInterval,
        to end: TimeInterval
    ) -> EventAttributes {
        var attributes = concert(of: user, north: degrees)
        attributes.startedAt = Date(timeIntervalSince1970: start)
        attributes.endedAt = Date(timeIntervalSince1970: end)
        return attributes
    }
}

extension EventPage.Event {
    /// The event as `GET /v1/events` returns it.
    init(_ event: Event, distance: Double? = nil, bearing: Double? = nil) {
        self.init(
            id: event.id,
            name: event.name,
            address: event.address,
            lat: event.lat,
            lon: event.lon,
            startedAt: event.startedAt,
            endedAt: event.endedAt,
            owner: Owner(id: event.owner.id),
            description: nil,
            category: nil,
            status: nil,
            seriesId: nil,
            visibility: nil,
            url: nil,
            imageUrl: nil,
            tags: nil,
            distance: distance,
            bearing: bearing
        )
    }
}

extension Event {
    /// The event that a server stores for these attributes.
    init(id: Int, _ attributes: EventAttributes, owner: User) throws {
        self.init(
            id: id,
            name: try XCTUnwrap(attributes.name),
            address: attributes.address,
            lat: try XCTUnwrap(attributes.lat),
            lon: try XCTUnwrap(attributes.lon),
            startedAt: try XCTUnwrap(attributes.startedAt),
            endedAt: attributes.endedAt,
            owner: Identified(id: owner.id)
        )
    }
}

/// What specs create before the request that they are about.
extension XCTestCase {
    /// Returns the client of a user's app, or of an app without a user.
    func client(of user: User? = nil) throws -> EventClient {
        EventClient(server: try TestServer.shared.get().url, token: user?.token)
    }

    /// Creates a user.
    func signUp() async throws -> User {
        let secret = try TestServer.shared.get().secret
        let user = try await post("/v1/users", headers: ["tb-app-secret": secret])
            .decode(NewUser.self)
        return User(id: user.id, token: user.authToken)
    }

    /// Creates an event, at the user's home unless the attributes say otherwise.
    func createEvent(by owner: User, _ attributes: EventAttributes? = nil) async throws -> Event {
        let attributes = attributes ?? .concert(of: owner)
        let id = try await post("/v1/events", attributes, as: owner).decode(Identified.self).id
        return try Event(id: id, attributes, owner: owner)
    }

    /// Lets a user attend an event.
    func attend(_ event: Event, as user: User) async throws -> Attendance {
        let body = NewAttendance(event: Identified(id: event.id))
        let id = try await post("/v1/attendances", body, as: user).decode(Identified.self).id
        return Attendance(id: id, user: Identified(id: user.id))
    }

    /// Requests the events at the user's home.
    func eventsAtHome(of user: User) async throws -> Response {
        try await get("/v1/events/nearests?lat=\(user.home.lat)&lon=\(user.home.lon)&radius=1")
    }

    /// Requests the attendances of an event.
    func attendances(of event: Event) async throws -> Response {
        try await get("/v1/events/\(event.id)/attendances")
    }
}

extension Response {
    /// The response to a request for the attendances of an event.
    static func attendances(_ attendances: [Attendance]) throws -> Response {
        try .ok(Attendances(count: attendances.count, attendances: attendances))
    }
}
