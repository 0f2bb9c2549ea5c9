import HTTP
import JSON
import Rules

/// The parameters of a list of the admin API, `limit` and `cursor`.
struct AdminList: Sendable {
    static let maximumLimit = 200
    private static let usualLimit = 50

    /// The number of items in the response.
    let limit: Int
    /// The text that continues the list after a page; nil for its beginning.
    let cursor: String?
    private let parameters: Parameters

    /// Reads the query of a request.
    ///
    /// Throws `RequestError.malformed`, and `ModelError.invalid` for an invalid limit.
    init(_ call: AdminCall) throws {
        parameters = try call.call.parameters()
        var validation = Validation()
        let limit = validation.optional(
            "Limit",
            parameters["limit"],
            .integer(in: 1...Self.maximumLimit)
        )
        guard validation.errors.isEmpty else { throw ModelError.invalid(validation.errors) }
        self.limit = limit ?? Self.usualLimit
        cursor = parameters["cursor"].nullIfBlank.spelling
    }

    /// Returns a parameter; nil if it is missing or blank.
    subscript(name: String) -> String? { parameters[name].nullIfBlank.spelling }

    /// Returns the id that continues the list; throws `ModelError.invalid` for other texts.
    func cursorID() throws(ModelError) -> Int64? { try id("cursor") }

    /// Returns a parameter that is an id; throws `ModelError.invalid` for other texts.
    func id(_ name: String) throws(ModelError) -> Int64? {
        try self[name].map { text throws(ModelError) in
            guard let id = Int64(recordID: text) else { throw .invalidParameter(name) }
            return id
        }
    }

    /// Returns whether a switch is on; throws `ModelError.invalid` unless it is yes or missing.
    func isOn(_ name: String) throws(ModelError) -> Bool {
        guard let value = self[name] else { return false }
        guard value == "yes" else { throw .invalidParameter(name) }
        return true
    }

    /// Returns the response with a page of a list.
    ///
    /// - Parameters:
    ///   - items: The items of the page, and one more if there are more.
    ///   - cursor: Returns what continues the list after an item.
    ///   - members: Writes the members of an item.
    /// - Returns: The response.
    func response<Item>(
        _ items: [Item],
        cursor: (Item) -> String,
        _ members: (inout JSONWriter, Item) -> Void
    ) -> Response {
        let page = Array(items.prefix(limit))
        let next = items.count > limit ? page.last.map(cursor) : nil
        return .object(.ok) { $0.page(page, next: next, members) }
    }
}

extension JSONWriter {
    /// Writes the members of a page: its items, and the cursor of the next one.
    mutating func page<Item>(
        _ items: [Item],
        next: String? = nil,
        _ members: (inout JSONWriter, Item) -> Void
    ) {
        array("items", items) { json, item in json.object { members(&$0, item) } }
        field("next", next)
    }
}

extension ModelError {
    /// The error for a parameter of the query with a wrong value.
    static func invalidParameter(_ name: String) -> ModelError {
        .invalid([AttributeError(name.prefix(1).uppercased() + name.dropFirst(), .invalid)])
    }
}

extension Response {
    /// Returns a copy that names the action in the audit, for undo.
    func noting(_ action: Int64?) -> Response {
        var response = self
        if let action { response.headers.append("humon-action", String(action)) }
        return response
    }
}
