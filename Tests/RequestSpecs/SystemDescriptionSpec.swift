import JSON
import Model
import Support
import Testing
import Web

/// `GET /openapi.json?system=…`, and the rules for documents from which generators make clients.
@Suite struct SystemDescriptionSpec {
    @Test(arguments: Driver.allCases, ServedSystem.allCases)
    func `describes one system`(driver: Driver, system: ServedSystem) async throws {
        try await withServer(driver) { server in
            let target = "/openapi.json?system=\(system.rawValue)"
            let answer = try await server.get(target)
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get(target, ["If-None-Match": tag])
            let joint = try await server.get("/openapi.json")
            let document = try JSONParser.parse(answer.body.utf8.span, maximumDepth: 64)

            #expect(answer.status == 200 && again.status == 304)
            #expect(answer.fields["content-type"] == joint.fields["content-type"])
            #expect(tag != joint.fields["etag"])
            let names = document["tags"]?.elements.compactMap {
                $0["name"]?.text.map { $0.lowercased() }
            }
            #expect(names == [system.rawValue])
            let operations = document["paths"]?.members.flatMap { $0.value.members } ?? []
            #expect(operations.allSatisfy { $0.value["tags"]?.elements.count == 1 })
            #expect((document["webhooks"] != nil) == (system == .humon))
            let paths = document["paths"]?.members.map(\.key) ?? []
            #expect(paths.contains("/v1/users") == [.humon, .todo].contains(system))
            #expect(!paths.contains("/openapi.json") && !paths.contains("/map"))
            let jointIDs = Self.operationIDs(
                of: try JSONParser.parse(joint.body.utf8.span, maximumDepth: 64)
            )
            for id in Self.operationIDs(of: document) {
                #expect(jointIDs.contains { $0.lowercased().contains(id.lowercased()) }, "\(id)")
            }
        }
    }

    @Test(arguments: Driver.allCases, ["system=", "system=%20", "_system=x"])
    func `describes all systems if the parameter is blank`(
        driver: Driver,
        query: String
    ) async throws {
        try await withServer(driver) { server in
            let joint = try await server.get("/openapi.json")

            #expect(try await server.get("/openapi.json?" + query) == joint)
        }
    }

    @Test(arguments: Driver.allCases, ["humon2", "Humon", "todo", "0"])
    func `rejects systems that it doesn't serve`(driver: Driver, name: String) async throws {
        try await withServer(driver, systems: [.humon]) { server in
            let answer = try await server.get("/openapi.json?system=" + name)

            #expect(answer == .invalid("System must be one of humon, todo, mytasks, twosquare"))
        }
    }

    // MARK: Rules for generators

    @Test func `can be generated from`() throws {
        #expect(GeneratorRules.violations(of: try Self.document()) == [])
    }

    @Test(
        arguments: [
            (##"{"$ref":"#/components/schemas/Person"}"##, #"{"type":"object","properties":{}}"#),
            (##"{"$ref":"#/components/schemas/Me"}"##, #"{"type":"array","items":{}}"#),
            (#"schemas/Person"}"#, #"schemas/Nobody"}"#), (#","format":"int64""#, ""),
            (#","format":"double""#, ""), (#","format":"date-time""#, ""),
            (#""type":["string","null"]"#, #""anyOf":[{"type":"string"},{"type":"number"}]"#),
            (#""required":["id"]"#, #""required":["id"],"additionalProperties":false"#),
        ]
    )
    func `notices what generators can't use`(part: String, other: String) throws {
        let document = try Self.document { $0.replacing(part, with: other) }

        #expect(!GeneratorRules.violations(of: document).isEmpty)
    }

    // MARK: Blank parameters

    /// Paths, and the parameters that they need.
    private static let searches = [
        ("/v1/events", "count=exact"), ("/v1/events.geojson", ""), ("/v1/events.ics", ""),
        ("/v1/events.csv", ""), ("/v1/events.txt", ""), ("/v1/events.atom", ""),
        ("/v1/events/clusters", "bbox=-180,-90,180,90&zoom=1"),
        ("/v1/changes", "lat=37.79&lon=-122.4&radius=50"), ("/v1/events/nearests", "lat=1&lon=1"),
    ]

    @Test(arguments: Driver.allCases, searches)
    func `counts every blank parameter as left out`(
        driver: Driver,
        search: (path: String, needed: String)
    ) async throws {
        let path = try Self.document()["paths"]?[search.path]
        let parameters = (path?["get"]?["parameters"]?.elements ?? [])
            .filter { $0["in"]?.text == "query" && $0["required"] == nil }
            .compactMap { $0["name"]?.text }
        #expect(parameters.count >= 2)
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            let expected = try await server.get("\(search.path)?\(search.needed)")

            #expect(expected.status == 200)
            for name in parameters where !search.needed.contains(name + "=") {
                for blank in ["", "%20", "+%09"] {
                    let target = "\(search.path)?\(search.needed)&\(name)=\(blank)"
                    let answer = try await server.get(target)
                    #expect(answer.status == 200 && answer.body == expected.body, "\(target)")
                }
            }
        }
    }

    private static func document(
        _ change: (String) -> String = { $0 }
    ) throws -> JSONValue {
        let json = APIDescription(of: Set(ServedSystem.allCases)).json(of: .humon)
        let text = change(String(decoding: json, as: UTF8.self))
        return try JSONParser.parse(text.utf8.span, maximumDepth: 64)
    }

    private static func operationIDs(of document: JSONValue) -> [String] {
        (document["paths"]?.members ?? []).flatMap { path in
            path.value.members.compactMap { $0.value["operationId"]?.text }
        }
    }
}
