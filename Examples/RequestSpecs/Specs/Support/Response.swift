import Foundation

/// A response as specs compare it: the status and the whole body.
struct Response: Equatable, CustomStringConvertible {
    let status: Int
    /// JSON with sorted keys, so that a field that no model knows is a difference.
    let body: String
    /// Not compared: the headers differ with each response.
    private let headers: [String: String]

    init(status: Int, data: Data = Data(), headers: [String: String] = [:]) {
        self.status = status
        self.headers = headers
        let object = try? JSONSerialization.jsonObject(with: data)
        let sorted = object.flatMap {
            try? JSONSerialization.data(
                withJSONObject: $0,
                options: [.sortedKeys, .withoutEscapingSlashes]
            )
        }
        body = String(decoding: sorted ?? data, as: UTF8.self)
    }

    static func == (one: Response, other: Response) -> Bool {
        one.status == other.status && one.body == other.body
    }

    /// What a failure shows, such as `404 {"message":"Not Found"}`.
    var description: String { "\(status) \(body)" }

    /// Returns the value of a header, in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    /// Reads the body.
    func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
        try JSONDecoder.api.decode(type, from: Data(body.utf8))
    }
}

/// What specs expect.
extension Response {
    /// Success with this body.
    static func ok(_ body: some Encodable) throws -> Response {
        Response(status: 200, data: try JSONEncoder.api.encode(body))
    }

    /// Success without a body.
    static let noContent = Response(status: 204)
    /// What a search returns instead of an empty list.
    static let noEvents = message("No Events Found", status: 200)
    /// The token is missing or unknown.
    static let unauthorized = message("Unauthorized", status: 401)
    /// The record belongs to another user.
    static let forbidden = message("Forbidden", status: 403)
    /// There is no such record.
    static let notFound = message("Not Found", status: 404)
    /// The record has changed.
    static let preconditionFailed = message("Precondition Failed", status: 412)

    /// Rejected values, and what is wrong with each.
    static func invalid(_ errors: String...) throws -> Response {
        Response(status: 422, data: try JSONEncoder.api.encode(ValidationFailure(errors: errors)))
    }

    private static func message(_ text: String, status: Int) -> Response {
        Response(status: status, data: Data(#"{"message":"\#(text)"}"#.utf8))
    }
}
