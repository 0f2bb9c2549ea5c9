import Formats
import HTTP
import JSON
import Rules

/// The parameters of a request: those of the body, and then those of the query.
///
/// The format of the body is detected from its content, because real clients send wrong content
/// types.
struct Parameters {
    private enum Body {
        case empty
        case json(JSONObject)
        case form([FormPair])
    }

    /// The pairs of the query, in order.
    let query: [FormPair]
    private let body: Body
    private let limits: APILimits

    private init(query: [FormPair], body: Body, limits: APILimits) {
        self.query = query
        self.body = body
        self.limits = limits
    }

    /// Parses query and body; throws `RequestError.malformed` with the position of the error.
    init(query: String?, body: [UInt8], limits: APILimits) throws(RequestError) {
        self.limits = limits
        do {
            self.query = try FormDecoder.pairs(query)
            self.body = try Self.read(body, limits: limits)
        } catch let error as JSONError {
            throw .malformed(error.message)
        } catch let error as ParseError {
            throw .malformed(error.message)
        } catch let error as RequestError {
            throw error
        } catch {
            throw .malformed("The request can't be read.")
        }
    }

    /// Whether there is a body.
    var hasBody: Bool {
        if case .empty = body { false } else { true }
    }

    /// The parameters of the body alone.
    var ofBody: Parameters { Parameters(query: [], body: body, limits: limits) }

    /// Throws `RequestError.nothingToChange` if the body is a form with none of these keys.
    ///
    /// A body in another format, such as XML, is parsed as such a form.
    func requireForm(with keys: [String]) throws(RequestError) {
        guard case .form(let pairs) = body, !pairs.contains(where: { keys.contains($0.key) }) else {
            return
        }
        throw .nothingToChange(keys: keys)
    }

    /// Whether the body is a JSON object.
    var isObject: Bool {
        if case .json = body { true } else { false }
    }

    /// Returns the parameter with this name.
    subscript(name: String) -> Input {
        lookUp(name) { members in members[name] }
    }

    /// Returns the parameter `name` of the object `parent`, which a form writes as `parent[name]`.
    subscript(parent: String, name: String) -> Input {
        lookUp("\(parent)[\(name)]") { members in
            guard case .object(let inner) = members[parent] else { return nil }
            return inner[name]
        }
    }

    /// Returns the list `name`.
    ///
    /// A form writes each element as `name[]=…`, and an empty list as `name[]=`. Returns a list of
    /// null, which is no list of texts, if it writes elements as `name[0]=…`.
    subscript(listOf name: String) -> Input {
        if case .json(let object) = body, let value = object[name] { return Input(value) }
        if hasKey(name, where: { !$0.elementsEqual("[]".utf8) }) { return .list([.null]) }
        let isForm =
            if case .form(let pairs) = body { pairs.contains { $0.key == name + "[]" } } else {
                false
            }
        var pairs = query
        if isForm, case .form(let form) = body { pairs = form }
        let values = pairs.filter { $0.key == name + "[]" }.map { $0.value ?? "" }
        if values.isEmpty { return self[name] }
        return values == [""] ? .null : .list(values.map(Input.text))
    }

    /// Returns the object `name`, which a form writes as its JSON.
    ///
    /// Returns a list, which is no object, if a form writes members as `name[member]`. In JSON, the
    /// object is inside of the body's, so its own depth is less by one.
    subscript(objectOf name: String) -> Input {
        if case .json(let object) = body, let value = object[name] { return Input(value) }
        if hasKey(name, where: { _ in true }) { return .list([]) }
        return self[name].object(maximumDepth: limits.jsonDepth - 1)
    }

    /// Returns whether there is a non-empty object with this name, in a form `name[something]`.
    func hasObject(_ name: String) -> Bool {
        if case .json(let object) = body, case .object(let inner) = object[name],
            !inner.members.isEmpty
        {
            return true
        }
        return hasKey(name) { brackets in
            let inner = brackets.dropFirst().dropLast()
            return brackets.last == UInt8(ascii: "]") && !inner.isEmpty
                && !inner.contains { "[]".utf8.contains($0) }
        }
    }

    /// Returns whether there is a key of a form that is the name and such brackets.
    private func hasKey(_ name: String, where isMatch: (Substring.UTF8View) -> Bool) -> Bool {
        var pairs = query
        if case .form(let form) = body { pairs += form }
        let start = (name + "[").utf8
        return pairs.contains { pair in
            pair.key.utf8.starts(with: start) && isMatch(pair.key.utf8.dropFirst(start.count - 1))
        }
    }

    /// The parameters as JSON, the same for any order, spelling and white space, without the token
    /// of an account; O(n log n).
    var canonical: [UInt8] {
        let body: JSONValue =
            switch body {
            case .empty: .null
            case .json(let object):
                .object(JSONObject(object.members.filter { $0.key != Self.accessToken }))
            case .form(let pairs): Self.object(pairs)
            }
        return JSONWriter.bytes { writer in
            writer.value(.array([Self.object(query), body]), isSorted: true)
        }
    }

    /// The parameter with the token of an account.
    static let accessToken = "authentication_token"

    private static func object(_ pairs: [FormPair]) -> JSONValue {
        .object(
            JSONObject(
                pairs.filter { $0.key != accessToken }
                    .map { .init($0.key, $0.value.map(JSONValue.string) ?? .null) }
            )
        )
    }

    private func lookUp(_ key: String, in members: (JSONObject) -> JSONValue?) -> Input {
        switch body {
        case .json(let object):
            if let value = members(object) { return Input(value) }
        case .form(let pairs):
            if let pair = pairs.last(where: { $0.key == key }) { return Input(pair) }
        case .empty: break
        }
        return query.last { $0.key == key }.map(Input.init) ?? .absent
    }

    private static func read(_ body: [UInt8], limits: APILimits) throws -> Body {
        if body.isEmpty { return .empty }
        var start = 0
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        while start < body.count, body[start].isBlank { start += 1 }
        guard start < body.count else { return .empty }
        guard body[start] == UInt8(ascii: "{") || body[start] == UInt8(ascii: "[") else {
            return .form(try FormDecoder.pairs(body.span))
        }
        let value = try JSONParser.parse(body.span, maximumDepth: limits.jsonDepth)
        guard case .object(let object) = value else { throw RequestError.notAnObject }
        return .json(object)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }
}

extension Input {
    fileprivate init(_ pair: FormPair) {
        self = pair.value.map(Input.text) ?? .null
    }
}
