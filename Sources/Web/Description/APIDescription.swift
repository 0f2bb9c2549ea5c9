package import HTTP
package import Model
package import OpenAPI

/// All that a client has to know of the API of the systems that are served.
package struct APIDescription: Sendable {
    /// A route and what it does for a system.
    package struct Route: Sendable {
        /// Nil for what belongs to the server itself.
        package let system: System?
        package let method: Method
        package let pattern: String
        package let operation: Operation
        let errorShape: ErrorShape
    }

    /// The routes in the order of the table, those that systems share once for each.
    package let routes: [Route]

    /// The description of these systems.
    package init(of systems: Set<System>) {
        routes = Routes.described(of: systems)
    }

    /// What the server is, in a few words.
    let summary = """
        A backend for phone apps: what is near, what is to be done, who is where. \
        Each write is on the disk before it is acknowledged.
        """

    /// What holds for every endpoint, one sentence or two for each rule.
    let rules = [
        """
        Every path but / also answers with the suffix .json and with one slash at its end. HEAD \
        works wherever GET does, OPTIONS answers 204 with Allow, an unknown path 404 with a message.
        """,
        """
        A body is read by what it is and not by its Content-Type: JSON if it begins with { or [, \
        else a form, whose keys nest one level with brackets. Parameters of the body may also be \
        sent in the query; the body's win. Unknown ones are ignored.
        """,
        """
        Numbers may be sent as text. Times in are RFC 3339 with any offset or none, which means \
        UTC; times out are UTC with three decimals.
        """,
        """
        Each answer has an X-Request-Id: the request's own if it is 1 to 128 letters, digits and \
        -_.:/+=@, else a new one.
        """,
        """
        Successful GETs have an ETag; with If-None-Match they answer 304. To change a record only \
        if nobody else has changed it, send its ETag in If-Match with PATCH, PUT or DELETE: the \
        response is 412 if it has changed.
        """,
        """
        Who makes too many requests is answered 429, and who comes while too much waits 503; both \
        with Retry-After.
        """,
    ]

    /// The OpenAPI document as JSON; O(n) in what it says, and meant to be called once.
    package func json() -> [UInt8] { document.json() }

    private var document: Document {
        let groups = [System?.none] + System.allCases.map(Optional.some)
        let served = groups.filter { group in routes.contains { $0.system == group } }
        return Document(
            title: "Humon",
            version: "1",
            meaning: ([summary] + rules).joined(separator: "\n\n"),
            tags: served.map { Document.Tag(Self.name(of: $0), Self.meaning(of: $0)) },
            endpoints: routes.map { route in
                Document.Endpoint(
                    route.method,
                    route.pattern,
                    tag: Self.name(of: route.system),
                    complete(route)
                )
            }
        )
    }

    /// What a group of routes is called.
    static func name(of system: System?) -> String {
        switch system {
        case .humon: "Humon"
        case .todo: "Todo"
        case .mytasks: "MyTasks"
        case .twosquare: "Twosquare"
        case nil: "Server"
        }
    }

    /// What a group of routes is for.
    static func meaning(of system: System?) -> String {
        switch system {
        case .humon: "Events near you, and who comes to them."
        case .todo: "Everybody's own tasks. Its accounts and tokens are not Humon's."
        case .mytasks:
            "One list of tasks that everybody shares. It knows no users: anybody may write."
        case .twosquare: "Check-ins. It knows no users: anybody may write."
        case nil: "What the server says of itself."
        }
    }

    /// The operation with all that is the same for every route.
    private func complete(_ route: Route) -> Operation {
        // A wrong method is answered in the shape of the path's first route.
        let first = routes.first { $0.pattern == route.pattern } ?? route
        let own = route.operation
        let described = Set(own.responses.map(\.status.code))
        let common = route.errorShape.responses(ofPath: first.errorShape)
        let operation = own.withHeaders(isGet: route.method == .get).adding(
            parameters: parameters(of: route),
            responses: common.filter { !described.contains($0.status.code) }
        )
        guard described.contains(400) else { return operation }
        // Its own 400 and the common one may both be the answer.
        return operation.adding(responses: common.filter { $0.status == .badRequest })
    }
}

extension APIDescription {
    /// The conditions that the operation looks at.
    private func parameters(of route: Route) -> [Parameter] {
        if route.method == .get { return [.ifNoneMatch] }
        let isConditional = route.operation.responses.contains { $0.status == .preconditionFailed }
        return isConditional ? [.ifMatch, .ifNoneMatch] : []
    }
}

extension Operation {
    /// The same with the fields that its own answers have whatever they say.
    fileprivate func withHeaders(isGet: Bool) -> Operation {
        var responses = responses.map { response in
            let tag = isGet && response.status == .ok ? [ResponseHeader.etag] : []
            return response.adding(headers: tag + [.requestID])
        }
        if isGet {
            responses.append(
                PossibleResponse(
                    .notModified,
                    "If-None-Match names what would be the answer.",
                    headers: [.etag, .requestID],
                    name: "NotModified"
                )
            )
        }
        return replacing(responses: responses)
    }
}

extension Parameter {
    fileprivate static let ifMatch = Parameter(
        "If-Match",
        in: .header,
        "Entity tags, one of which the record must have, or *. GET returns the tag.",
        .text()
    )
    fileprivate static let ifNoneMatch = Parameter(
        "If-None-Match",
        in: .header,
        "Entity tags that the client holds, or *.",
        .text()
    )
}
