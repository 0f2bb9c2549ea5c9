import XCTest

/// `GET /openapi.json`, by which the specs notice an endpoint that they don't cover.
final class DescriptionSpec: XCTestCase {
    /// The part of an OpenAPI document that names the endpoints.
    private struct Description: Decodable {
        struct Operation: Decodable {
            let operationId: String
        }

        let paths: [String: [String: Operation]]
    }

    func testNamesTheEndpointsThatHaveASpec() async throws {
        let response = try await get("/openapi.json")

        let description = try JSONDecoder().decode(
            Description.self,
            from: Data(response.body.utf8)
        )
        let operations = description.paths.filter { $0.key.hasPrefix("/v1/") }.values
            .flatMap { $0.values.map(\.operationId) }
        XCTAssertEqual(
            operations.sorted(),
            [
                "closeInvitations", "createAttendance", "createBlock", "createDeletionCode",
                "createEvent", "createInvitation", "createUser", "deleteAttendance",
                "deleteBlock", "deleteEvent", "deleteUser", "endDevice", "eventAttendances",
                "eventClusters", "listBlocks", "listChanges", "listDevices", "nearestEvents",
                "nearestEventsAlias", "renameDevice", "replaceEvent", "reportEvent",
                "reportUser", "rotateToken", "searchEvents", "searchEventsAsATOM",
                "searchEventsAsCSV", "searchEventsAsGEOJSON", "searchEventsAsICS",
                "searchEventsAsTXT", "showEvent", "showEventAsGEOJSON", "showEventAsICS",
                "showUser", "streamChanges", "updateEvent", "updateUser",
            ]
        )
    }
}
