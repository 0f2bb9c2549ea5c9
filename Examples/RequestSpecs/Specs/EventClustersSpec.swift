import XCTest

/// `GET /v1/events/clusters`.
final class EventClustersSpec: XCTestCase {
    func testReturnsTheNumberOfEventsInEachCell() async throws {
        let user = try await signUp()
        let first = try await createEvent(by: user, .concert(of: user, north: 0.0004))
        _ = try await createEvent(by: user, .concert(of: user, north: 0.0002))
        let (lat, lon) = user.home
        let box = [lon - 0.05, lat - 0.05, lon + 0.05, lat + 0.05]

        let clusters = try await client().clusters(in: box, zoom: 5)

        let expected = EventCluster(
            count: 2,
            lat: ((lat + 0.0003) * 100_000).rounded() / 100_000,
            lon: lon,
            event: EventPage.Event(first)
        )
        XCTAssertEqual(clusters, [expected])
    }

    func testReturns422WithoutABox() async throws {
        let response = try await get("/v1/events/clusters")

        XCTAssertEqual(response, try .invalid("Bbox can't be blank", "Zoom can't be blank"))
    }
}
