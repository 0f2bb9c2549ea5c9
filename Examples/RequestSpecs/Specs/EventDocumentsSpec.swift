import XCTest

/// Events in the formats of other programs: `/v1/events.ics`, `.geojson`, `.atom`, `.csv` and
/// `.txt`, and `/v1/events/:id.ics` and `.geojson`.
final class EventDocumentsSpec: XCTestCase {
    func testReturnsFeaturesForAMap() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let (lat, lon) = user.home

        let features = try await client().features(in: [lon - 0.4, lat - 0.4, lon + 0.4, lat + 0.4])

        let expected = FeatureCollection.Feature(
            id: event.id,
            geometry: .init(coordinates: [lon, lat]),
            properties: .init(name: event.name, startedAt: event.startedAt)
        )
        XCTAssertEqual(features, FeatureCollection(features: [expected]))
    }

    func testReturnsACalendarWithOneEvent() async throws {
        let event = try await createEvent(by: signUp())

        let file = try await client().saveCalendar(ofEvent: event.id)

        defer { try? FileManager.default.removeItem(at: file) }
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssertTrue(text.hasPrefix("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"))
        XCTAssertTrue(text.contains("\r\nDTSTART:20300601T180000Z\r\nSUMMARY:Concert\r\n"), text)
    }

    func testReturnsATable() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let (lat, lon) = user.home

        let file = try await client().saveTable(lat: lat, lon: lon, radius: 5)

        defer { try? FileManager.default.removeItem(at: file) }
        let columns = "id,owner,name,address,lat,lon,started_at,ended_at,distance,bearing"
        let row = "\(event.id),\(user.id),Concert,,\(lat),\(lon),2030-06-01T18:00:00.000Z,,0.0,"
        XCTAssertEqual(
            try String(contentsOf: file, encoding: .utf8).split { $0.isNewline },
            [columns[...], row[...]]
        )
    }

    func testReturnsOneLineForEachEvent() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)

        let response = try await get("/v1/events.txt?owner=\(user.id)")

        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.body, "2030-06-01 18:00Z  #\(event.id)  Concert\n")
    }

    func testReturnsFeedsForCalendarsAndReaders() async throws {
        let user = try await signUp()
        _ = try await createEvent(by: user)

        let calendar = try await get("/v1/events.ics?owner=\(user.id)")
        let feed = try await get("/v1/events.atom?owner=\(user.id)")

        XCTAssertTrue(calendar.body.contains("\r\nSUMMARY:Concert\r\n"), calendar.body)
        XCTAssertTrue(feed.body.contains("<title>Concert</title>"), feed.body)
    }

    func testHasAURLThatCalendarAppsSubscribeTo() async throws {
        let user = try await signUp()
        _ = try await createEvent(by: user)
        let (lat, lon) = user.home

        let url = try client().calendarSubscription(lat: lat, lon: lon, radius: 5)

        let query = "lat=\(lat)&lon=\(lon)&radius=5.0&when=upcoming"
        let server = try TestServer.shared.get().url.absoluteString.dropFirst("http".count)
        XCTAssertEqual(url?.absoluteString, "webcal\(server)/v1/events.ics?\(query)")
        let calendar = try await get("/v1/events.ics?\(query)")
        XCTAssertTrue(calendar.body.contains("\r\nSUMMARY:Concert\r\n"), calendar.body)
    }

    func testReturnsAFeature() async throws {
        let event = try await createEvent(by: signUp())

        let feature = try await get("/v1/events/\(event.id).geojson")
            .decode(FeatureCollection.Feature.self)

        XCTAssertEqual(feature.id, event.id)
    }

    func testReturns404ForAnUnknownEvent() async throws {
        let response = try await get("/v1/events/9000000000.ics")

        XCTAssertEqual(response, .notFound)
    }
}
