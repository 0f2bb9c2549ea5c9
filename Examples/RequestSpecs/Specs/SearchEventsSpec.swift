import XCTest

/// `GET /v1/events`, with the client of an app.
final class SearchEventsSpec: XCTestCase {
    func testReturnsTheEventsWithinTheRadius() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user, .concert(of: user, north: 0.01))
        _ = try await createEvent(by: user, .concert(of: user, north: 0.1))

        let nearby = try await client().page([
            "lat": "\(user.home.lat)", "lon": "\(user.home.lon)", "radius": "5",
        ])

        XCTAssertEqual(nearby.events.map(\.id), [event.id])
        XCTAssertEqual(nearby.events.map(\.distance), [1.111949])
    }

    func testReturnsTheEventsThatAreTakingPlaceNow() async throws {
        let user = try await signUp()
        let now = try await createEvent(
            by: user,
            .concert(of: user, north: 0.01, from: 1_600_000_000, to: 4_000_000_000)
        )
        _ = try await createEvent(by: user, .concert(of: user))

        let events = try await client().eventsNow(
            lat: user.home.lat,
            lon: user.home.lon,
            radius: 5
        )

        // A hundredth of a degree is 1.111949 km.
        let expected = EventPage.Event(now, distance: 1.111949, bearing: 0)
        XCTAssertEqual(events, [expected])
    }

    func testReturnsTheEventsThatTheUserAttends() async throws {
        let user = try await signUp()
        let other = try await signUp()
        let event = try await createEvent(by: other)
        _ = try await createEvent(by: user)
        _ = try await attend(event, as: user)

        let events = try await client(of: user).eventsToAttend()

        XCTAssertEqual(events, [EventPage.Event(event)])
    }

    func testReturnsTheEventsOfTheUserNewestFirst() async throws {
        let user = try await signUp()
        let (old, new) = (try await createEvent(by: user), try await createEvent(by: user))

        let events = try await client(of: user).ownEvents()

        XCTAssertEqual(events, [EventPage.Event(new), EventPage.Event(old)])
    }

    func testReturnsEachEventOnOnePage() async throws {
        let user = try await signUp()
        var expected: [EventPage.Event] = []
        for _ in 0..<3 { expected.append(EventPage.Event(try await createEvent(by: user))) }
        let list = await EventList(try client(), ["owner": "\(user.id)", "limit": "2"])

        try await list.loadMore()
        let (first, hasAll) = await (list.events, list.isComplete)
        try await list.loadMore()

        XCTAssertEqual(first, Array(expected.prefix(2)))
        XCTAssertFalse(hasAll)
        let (events, isComplete) = await (list.events, list.isComplete)
        XCTAssertEqual(events, expected)
        XCTAssertTrue(isComplete)
    }

    func testReturnsTheNewestEventsOfARegion() async throws {
        let user = try await signUp()
        let (old, new) = (try await createEvent(by: user), try await createEvent(by: user))

        let events = try await client().newEvents(
            lat: user.home.lat,
            lon: user.home.lon,
            radius: 5
        )

        let expected = [new, old].map { EventPage.Event($0, distance: 0) }
        XCTAssertEqual(events, expected)
    }

    func testFindsEventsWhileTheUserTypes() async throws {
        let user = try await signUp()
        let jazz = try await createEvent(by: user, .lateJazz(of: user))
        _ = try await createEvent(by: user)
        let results = await SearchResults(try client())

        var found: [[Int]] = []
        for text in ["late ja", "nothing"] {
            try await results.update(text, lat: user.home.lat, lon: user.home.lon)
            found.append(await results.events.filter { $0.owner.id == user.id }.map(\.id))
        }

        XCTAssertEqual(found, [[jazz.id], []])
    }

    func testFindsTheCategoriesOfAWeekend() async throws {
        let user = try await signUp()
        _ = try await createEvent(by: user)

        let events = try await client().thisWeekend(
            "music",
            lat: user.home.lat,
            lon: user.home.lon,
            zone: .gmt
        )

        XCTAssertEqual(events.filter { $0.owner.id == user.id }, [])
    }

    func testShowsCancelledDatesOfASeriesToThoseWhoAskForThem() async throws {
        let user = try await signUp()
        let jazz = try await createEvent(by: user, .lateJazz(of: user))
        let other = try await createEvent(by: user, .lateJazz(of: user))

        try await client(of: user).cancel(other.id)

        let dates = try await client().dates(ofSeries: "late-jazz", by: user.id)
        XCTAssertEqual(dates.map(\.id), [jazz.id, other.id])
        XCTAssertEqual(dates.map(\.status), [nil, "cancelled"])
        let page = try await client().page(["owner": "\(user.id)"])
        XCTAssertEqual(page.events.map(\.id), [jazz.id])
    }

    func testCancelsOnlyEventsOfTheUser() async throws {
        let event = try await createEvent(by: signUp())
        let stranger = try await client(of: signUp())
        await assertThrows(EventError(message: "Forbidden", errors: nil)) {
            try await stranger.cancel(event.id)
        }
    }

    func testFindsPlacesThatAreAlwaysOpen() async throws {
        let user = try await signUp()
        var park = EventAttributes.concert(of: user)
        park.startedAt = Date(timeIntervalSince1970: 946_684_800)
        park.endedAt = Date(timeIntervalSince1970: 253_402_214_400)
        park.category = "place"
        let event = try await createEvent(by: user, park)
        _ = try await createEvent(by: user)

        let places = try await client().places(
            lat: user.home.lat,
            lon: user.home.lon,
            radius: 5
        )

        XCTAssertEqual(places.map(\.id), [event.id])
    }

    func testReturnsAnEmptyPageWhereThereAreNoEvents() async throws {
        let user = try await signUp()

        let page = try await client().page(["owner": "\(user.id)"])

        XCTAssertEqual(page, EventPage(events: [], next: nil))
    }

    func testReturns401WithoutATokenForEventsOfMe() async throws {
        await assertThrows(EventError(message: "Unauthorized", errors: nil)) {
            _ = try await client().ownEvents()
        }
    }

    func testReturns422ForAMisspeltParameter() async throws {
        let errors = ["Radius needs lat and lon", "Unknown parameter: raduis"]
        await assertThrows(EventError(message: "Validation Failed", errors: errors)) {
            _ = try await client().page(["radius": "5", "raduis": "5"])
        }
    }

    private func assertThrows(
        _ expected: EventError,
        _ request: () async throws -> Void
    ) async {
        do {
            try await request()
            XCTFail("The request succeeded.")
        } catch {
            XCTAssertEqual(error as? EventError, expected)
        }
    }
}
