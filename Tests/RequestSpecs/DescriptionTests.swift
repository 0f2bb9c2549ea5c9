import HTTP
import JSON
import Model
import Support
import Testing
import Web

/// The OpenAPI document is whole, and holds answers to what it says.
@Suite struct DescriptionTests {
    private let contract: APIContract

    init() throws {
        contract = try APIContract.of(Set(ServedSystem.allCases))
    }

    @Test func `has each route and no other, with words on it`() throws {
        var described: [String] = []
        var ids: [String] = []
        for path in contract.document["paths"]?.members ?? [] {
            for operation in path.value.members {
                described.append("\(operation.key.uppercased()) \(path.key)")
                ids.append(operation.value["operationId"]?.text ?? "")
                #expect(operation.value["summary"]?.text?.isEmpty == false)
                #expect(operation.value["description"]?.text?.isEmpty == false)
                for parameter in operation.value["parameters"]?.elements ?? [] {
                    #expect(parameter["description"]?.text?.isEmpty == false)
                }
            }
        }

        #expect(Set(described) == Set(Routes.listing().map(Self.name)))
        #expect(described.count == Routes.listing().count)
        #expect(Set(ids).count == ids.count && !ids.contains(""))
    }

    @Test func `names every parameter of a path`() throws {
        for path in contract.document["paths"]?.members ?? [] {
            let named = path.key.split(separator: "{").dropFirst()
                .map { String($0.prefix { $0 != "}" }) }
            for operation in path.value.members {
                let parameters = (operation.value["parameters"]?.elements ?? [])
                    .filter { $0["in"]?.text == "path" }
                #expect(parameters.compactMap { $0["name"]?.text } == named, "\(path.key)")
            }
        }
    }

    @Test func `says of searches that too many may run, and that pages are linked`() throws {
        let validator = SchemaValidator(document: contract.document)
        for path in contract.document["paths"]?.members ?? []
        where path.key.wholeMatch(of: /\/v1\/events(\.\w+|\/clusters)?/) != nil {
            func response(_ status: String) throws -> JSONValue {
                let response = try #require(path.value["get"]?["responses"]?[status])
                return try response["$ref"].map(validator.resolve) ?? response
            }
            let overloaded = try response("503")
            let isPage = !path.key.hasSuffix("clusters")

            #expect(overloaded["description"]?.text?.hasPrefix("Too many searches") == true)
            #expect(overloaded["headers"]?["Retry-After"] != nil, "\(path.key)")
            #expect(overloaded["headers"]?["X-Request-Id"] != nil, "\(path.key)")
            #expect(overloaded["content"]?["application/json"] != nil, "\(path.key)")
            let link = try response("200")["headers"]?["Link"]
            #expect((link != nil) == isPage && link?["required"] == nil, "\(path.key)")
        }
    }

    @Test(arguments: ["/my_tasks", "/~{name}/my_tasks"])
    func `has the length of a shared task's name`(root: String) throws {
        let path = contract.document["paths"]?["\(root)/add_task.php"]
        let query = path?["get"]?["parameters"]?.elements.first { parameter in
            parameter["name"]?.text == "name" && parameter["in"]?.text == "query"
        }
        let contents = path?["post"]?["requestBody"]?["content"]?.members ?? []
        let validator = SchemaValidator(document: contract.document)
        let longest = JSONValue.string(String(repeating: "é", count: 255))
        let tooLong = JSONValue.string(String(repeating: "é", count: 256))

        let schema = try #require(query?["schema"])
        try validator.validate(longest, schema)
        #expect(throws: SchemaError.self) { try validator.validate(tooLong, schema) }
        #expect(contents.count == 2)
        for content in contents {
            let schema = try #require(content.value["schema"])
            let names = try [longest, tooLong].map { name in
                try JSONParser.parse(
                    #"{"name":"\#(name.text ?? "")","taskID":1}"#.utf8.span,
                    maximumDepth: 2
                )
            }
            try validator.validate(names[0], schema)
            #expect(throws: SchemaError.self) { try validator.validate(names[1], schema) }
        }
    }

    @Test func `has examples that keep its own schemas`() throws {
        let validator = SchemaValidator(document: contract.document)
        let exact = SchemaValidator(document: contract.document, isExact: true)
        var count = 0
        for path in contract.document["paths"]?.members ?? [] {
            for operation in path.value.members {
                let responses = try (operation.value["responses"]?.members ?? []).map { response in
                    try response.value["$ref"].map(validator.resolve) ?? response.value
                }
                let request = operation.value["requestBody"].map { ($0, validator) }
                let bodies = responses.map { ($0, exact) } + [request].compactMap(\.self)
                for (body, validator) in bodies {
                    for content in body["content"]?.members ?? [] {
                        guard let example = content.value["example"],
                            let schema = content.value["schema"]
                        else { continue }
                        try validator.validate(example, schema, at: "\(path.key) \(operation.key)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 50)
    }

    @Test(
        arguments: [
            ("GET", "/v1/events/1", Answer(418), "status is not documented"),
            ("GET", "/v1/events/1", Answer(200), "ETag-or-type"),
            ("GET", "/v1/events/1", .json(200, "{}"), "required"),
            ("GET", "/v1/events/1", .json(404, #"{"message":"a","more":1}"#), "additional"),
            ("POST", "/v1/events", .json(200, #"{"id":"1"}"#), "type"),
            ("POST", "/v1/events", .json(200, #"{"id":0}"#), "minimum"),
            ("POST", "/v1/events", Answer(200, ["content-type": "text/html"]), "content type"),
            ("PUT", "/v1/events", .json(200, "[]"), "method"),
            ("GET", "/v1/events", .json(200, #"{"events":[]}"#), "required"),
            ("GET", "/v1/events.ics", .json(200, #"{"events":[],"next":null}"#), "content type"),
            ("GET", "/v1/events/1.ics", .json(200, "{}"), "content type"),
            ("PUT", "/v1/tasks/1", .ok(#"{"id":1}"#), "status"),
            ("GET", "/nowhere", .json(200, "{}"), "path"),
            ("OPTIONS", "/v1/events", Answer(204), "Allow"),
            ("GET", "/v1/users", .json(405, #"{"message":"a"}"#), "Allow"),
        ] as [(String, String, Answer, String)]
    )
    func `knows an answer that it does not have`(
        method: String,
        target: String,
        answer: Answer,
        why: String
    ) {
        #expect(throws: ContractError.self, "\(why)") {
            try contract.check(answer, to: TestRequest(method, target))
        }
    }

    @Test(
        arguments: [
            (#"{"type":"string","maxLength":2}"#, #""abc""#), (#"{"minLength":2}"#, #""a""#),
            (#"{"pattern":"^a$"}"#, #""b""#), (#"{"format":"uuid"}"#, #""a""#),
            (#"{"minimum":1}"#, "0"), (#"{"maximum":1}"#, "2"), (#"{"enum":["a"]}"#, #""b""#),
            (#"{"items":{"type":"null"}}"#, "[1]"), (#"{"minItems":1}"#, "[]"),
            (#"{"maxItems":0}"#, "[1]"), (#"{"minProperties":1}"#, "{}"),
            (#"{"anyOf":[{"type":"null"},{"type":"boolean"}]}"#, "1"),
            (#"{"allOf":[{"type":"number"},{"minimum":2}]}"#, "1"), (#"{"not":{}}"#, "1"),
            (#"{"type":"integer"}"#, "1.5"),
            (#"{"properties":{"a":{"type":"null"}}}"#, #"{"a":1}"#),
            (#"{"additionalProperties":{"type":"null"}}"#, #"{"a":1}"#),
            (#"{"unheardOf":1}"#, "1"), (#"{"anyOf":[{"unheardOf":1}]}"#, "1"),
        ]
    )
    func `validates each keyword and knows no other`(schema: String, value: String) throws {
        let schema = try JSONParser.parse(schema.utf8.span, maximumDepth: 8)
        let value = try JSONParser.parse(value.utf8.span, maximumDepth: 8)

        #expect(throws: SchemaError.self) {
            try SchemaValidator(document: .null).validate(value, schema)
        }
    }

    /// A route as the document names it.
    private static func name(
        _ route: (method: HTTP.Method, pattern: String, summary: String)
    ) -> String {
        let segments = route.pattern.split(separator: "/", omittingEmptySubsequences: false)
        let path = segments.map { segment in
            guard let colon = segment.firstIndex(of: ":") else { return String(segment) }
            let words = segment[segment.index(after: colon)...].split(separator: ".")
            let suffix = words.dropFirst().map { ".\($0)" }.joined()
            return segment[..<colon] + "{\(words.first ?? "")}" + suffix
        }
        return "\(route.method.rawValue) \(path.joined(separator: "/"))"
    }
}
