import HTTP
package import JSON
package import Model
import System
import Web

/// The server's own description of its API, against which its answers are held.
package struct APIContract: Sendable {
    package let document: JSONValue
    private let validator: SchemaValidator

    private struct Scope: Hashable {
        let systems: Set<ServedSystem>
        let hasMap: Bool
        let hasIssuers: Bool
    }

    private static let known = Mutex<[Scope: APIContract]>([:])

    /// The description of these systems and the map; created once.
    package static func of(
        _ systems: Set<ServedSystem>,
        hasMap: Bool = true,
        hasIssuers: Bool = true
    ) throws -> APIContract {
        let scope = Scope(systems: systems, hasMap: hasMap, hasIssuers: hasIssuers)
        if let contract = known.withLock({ $0[scope] }) { return contract }
        let description = APIDescription(of: systems, hasMap: hasMap, hasIssuers: hasIssuers)
        let contract = try APIContract(json: description.json())
        known.withLock { $0[scope] = contract }
        return contract
    }

    /// A description that is this OpenAPI document.
    package init(json: [UInt8]) throws {
        document = try JSONParser.parse(json.span, maximumDepth: 64)
        validator = SchemaValidator(document: document, isExact: true)
    }

    /// Returns whether the description has the path of a request.
    package func hasPath(of request: TestRequest) -> Bool { operation(for: request) != nil }

    /// Throws `ContractError` unless the answer is one that the request may have.
    package func check(_ answer: Answer, to request: TestRequest) throws {
        do {
            guard let operation = operation(for: request) else { return try checkStray(answer) }
            guard request.method != "OPTIONS" else { return try checkOptions(answer) }
            let key = request.method == "HEAD" ? "get" : request.method.lowercased()
            if let own = described(operation, key, answer, to: request),
                request.method == request.method.uppercased()
            {
                try check(answer, own, to: request)
            } else {
                guard answer.status >= 400, let any = operation.members.first?.value else {
                    throw ContractError("the method is not there")
                }
                try check(answer, any, to: request)
            }
        } catch {
            throw ContractError("\(request.method) \(request.target): \(error); \(answer)")
        }
    }

    /// The operation that describes the answer to a request of this method.
    ///
    /// A changed record in the answer, on request, is as GET returns it. `/v1/events` is only
    /// described with JSON: the other formats have paths of their own.
    private func described(
        _ operation: JSONValue,
        _ key: String,
        _ answer: Answer,
        to request: TestRequest
    ) -> JSONValue? {
        let type = answer.fields["content-type"]
        let path = request.target.prefix { $0 != "?" }
        if key == "get", path == "/v1/events" || path == "/v1/events/",
            let format = EventFormat.allCases.first(where: { $0.mediaType == type }),
            format != .json
        {
            return document["paths"]?["/v1/events.\(format.suffix)"]?["get"]
        }
        let isRecord = answer.status == 200 && answer.fields["preference-applied"] != nil
        return isRecord && key.hasPrefix("p") && key != "post" ? operation["get"] : operation[key]
    }

    /// Holds the answer against those of an operation.
    private func check(_ answer: Answer, _ operation: JSONValue, to request: TestRequest) throws {
        guard var response = operation["responses"]?[String(answer.status)] else {
            throw ContractError("the status is not documented")
        }
        if let reference = response["$ref"] { response = try validator.resolve(reference) }
        try checkHeaders(of: answer, response)
        let contents = response["content"]?.members ?? []
        guard let type = answer.fields["content-type"] else {
            guard answer.body.isEmpty, contents.isEmpty || response["x-may-be-empty"] != nil else {
                throw ContractError("the body has no type")
            }
            return
        }
        let mediaType = type.split(separator: ";").first.map(String.init) ?? ""
        guard let content = contents.first(where: { $0.key == mediaType }) else {
            throw ContractError("the content type is not documented")
        }
        guard request.method != "HEAD", let schema = content.value["schema"] else { return }
        let body: JSONValue =
            ["application/json", "application/geo+json"].contains(mediaType)
            ? try JSONParser.parse(answer.body.utf8.span, maximumDepth: 64) : .string(answer.body)
        let selects = request.target.contains("fields=")
        let validator =
            selects
            ? SchemaValidator(document: document, isExact: true, allowsMissing: true)
            : self.validator
        try validator.validate(body, schema)
    }

    private func checkHeaders(of answer: Answer, _ response: JSONValue) throws {
        for header in response["headers"]?.members ?? [] {
            let reference = try header.value["$ref"].map(validator.resolve)
            let definition = reference ?? header.value
            let name = header.key.lowercased()
            let value = name == "x-request-id" ? answer.requestID : answer.fields[name]
            guard let value, let schema = definition["schema"] else {
                guard definition["required"] == nil else {
                    throw ContractError("\(header.key) is missing")
                }
                continue
            }
            try validator.validate(.string(value), schema, at: header.key)
        }
    }

    /// What is at no path: 404, or an error that the server's own paths know, too.
    private func checkStray(_ answer: Answer) throws {
        guard let own = document["paths"]?["/docs"]?["get"] else {
            throw ContractError("there are no pages")
        }
        if answer.status == 204 { return try checkOptions(answer) }
        // To MyTasks' app any body is data.
        if answer.status >= 400, answer.body.isEmpty { return }
        if answer.status == 404 {
            let message = try validator.resolve(.string("#/components/schemas/Message"))
            let body = try JSONParser.parse(answer.body.utf8.span, maximumDepth: 8)
            return try validator.validate(body, message)
        }
        guard answer.status >= 400 else { throw ContractError("the path is not documented") }
        try check(answer, own, to: TestRequest("GET", "/docs"))
    }

    private func checkOptions(_ answer: Answer) throws {
        guard answer.status >= 400 || answer.status == 204 && answer.fields["allow"] != nil else {
            throw ContractError("an answer to OPTIONS says what is allowed")
        }
    }

    /// The Path Item of a request's target, or nil if the contract has no such path.
    private func operation(for request: TestRequest) -> JSONValue? {
        // Several slashes in a row are one.
        let path = request.target.prefix { $0 != "?" }.replacing(/\/+/, with: "/")
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.decodedSegment($0.utf8.span) }
        // One slash at the end and the suffix belong to no path but the root's own.
        if segments.count > 2, segments.last == "", segments != ["", "", ""] {
            segments.removeLast()
        }
        var spellings = [segments]
        if let last = segments.last as? String, last.hasSuffix(".json"), last.count > 5 {
            let stem = String(last.dropLast(5))
            // The representations of events have suffixes of their own.
            let formats = EventFormat.allCases.filter { $0 != .json }
            if !formats.contains(where: { stem.hasSuffix(".\($0.suffix)") }) {
                spellings.append(segments.dropLast() + [stem])
            }
        }
        let found = spellings.flatMap { segments in
            (document["paths"]?.members ?? []).filter { Self.matches($0.key, segments) }
        }
        // A literal takes precedence over a parameter, and a suffix over a parameter without one.
        return found.min { one, other in
            let parameters = [one, other].map { path in path.key.count { $0 == "{" } }
            return (parameters[0], other.key.count) < (parameters[1], one.key.count)
        }?.value
    }

    private static func matches(_ template: String, _ segments: [String?]) -> Bool {
        let parts = template.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == segments.count
            && zip(parts, segments).allSatisfy { part, segment in
                guard let segment else { return false }
                guard let brace = part.firstIndex(of: "{") else { return part == segment }
                let prefix = part[..<brace]
                let suffix = part.drop { $0 != "}" }.dropFirst()
                return segment.hasPrefix(prefix) && segment.hasSuffix(suffix)
                    && segment.count > prefix.count + suffix.count
            }
    }
}

/// An answer that the description does not know.
package struct ContractError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
