import HTTP
package import Model

/// The description of the API of the enabled systems.
package struct APIDescription: Sendable {
    /// The routes in the order of the table; a route that systems share occurs once for each.
    package let routes: [Route]
    /// The operator's e-mail address, or nil to show none.
    private(set) var contactEmail: String?
    /// The URL of the terms of use, or nil to show none.
    private(set) var termsURL: String?

    /// Creates the description of these systems, with the map and the sign-in if they are served.
    package init(of systems: Set<ServedSystem>, hasMap: Bool = true, hasIssuers: Bool = true) {
        routes = Routes.endpoints(of: systems, hasMap: hasMap, hasIssuers: hasIssuers)
            .flatMap(\.self)
    }

    /// Whether the server has a map of events.
    var hasMap: Bool { routes.contains { $0.pattern == "/map" } }

    /// Creates the description of an application with these settings.
    init(of settings: ApplicationSettings) {
        self.init(
            of: settings.systems,
            hasMap: settings.map != nil,
            hasIssuers: settings.verifier != nil
        )
        contactEmail = settings.contactEmail
        termsURL = settings.termsURL
    }

    /// A summary of the server in a sentence or two.
    var summary: String {
        let systems = Set(routes.compactMap(\.system))
        let subjects = [
            systems.contains(.humon) ? "events near a point" : nil,
            systems.isDisjoint(with: [.todo, .mytasks]) ? nil : "tasks",
            systems.contains(.twosquare) ? "check-ins" : nil,
        ].compactMap(\.self)
        let (rest, last) = (subjects.dropLast().joined(separator: ", "), subjects.last ?? "")
        return """
            The backend for location-based apps: \(rest.isEmpty ? last : "\(rest) and \(last)"). \
            Every write is on disk before it is acknowledged.
            """
    }

    /// The rules that apply to every endpoint, a sentence or two each.
    let rules = [
        """
        Every path except / also works with a slash at its end, and with the suffix .json if it \
        has no other. Several slashes in a row count as one. HEAD works wherever GET does. OPTIONS \
        returns 204 with Allow. An unknown path gets 404.
        """,
        """
        The server detects the format of a body from the body, not from its Content-Type: JSON if \
        it begins with { or [, otherwise a form, whose keys can nest one level with brackets. \
        JSON must be an object. A body with a Content-Encoding gets 415. A PATCH or PUT with none \
        of the record's keys gets 400, and so does a form with none of the keys of a sign-up or an \
        invitation. Parameters can be sent in the body or in the query; the body wins. Unknown \
        keys are ignored, but searches, clusters and changes reject unknown parameters with 422.
        """,
        """
        Numbers can be sent as text. Times in requests are RFC 3339 with any offset; without an \
        offset they are UTC, and the seconds are optional. A suffix such as [Europe/Berlin] is \
        ignored. Times in responses are UTC with three \
        decimals.
        """,
        """
        Every response has an X-Request-Id: the request's own if it is 1 to 128 letters, digits \
        or -_.:/+=@, otherwise a new one.
        """,
        """
        Successful GET responses have an ETag, except those of /v1/changes and of scripts that \
        change a list. Send it in If-None-Match to get 304 if nothing has changed. To change a \
        record only if nobody else has changed it, send its ETag in If-Match with PATCH, PUT or \
        DELETE: the response is 412 if the record has changed. GET accepts If-Match, too.
        """,
        """
        Clients that exceed a rate limit get 429, and an overloaded server returns 503, both with \
        Retry-After.
        """,
    ]

    /// Returns the OpenAPI document as JSON, in O(n); call it once and store the result.
    ///
    /// `system` is the only system to describe; nil for all, with the pages.
    package func json(of system: ServedSystem? = nil) -> [UInt8] {
        document(of: routes.filter { system == nil || $0.system == system }).json()
    }

    private func document(of routes: [Route]) -> Document {
        let groups = [ServedSystem?.none] + ServedSystem.allCases.map(Optional.some)
        let served = groups.filter { group in routes.contains { $0.system == group } }
        return Document(
            title: "Humon",
            version: "1",
            meaning: ([summary] + rules).joined(separator: "\n\n"),
            contactEmail: contactEmail,
            termsURL: termsURL,
            tags: served.map { (Self.name(of: $0), Self.meaning(of: $0)) },
            endpoints: routes.map { route in
                (route.method, route.pattern, Self.name(of: route.system), complete(route))
            },
            webhooks: routes.contains { $0.system == .humon } ? .webhooks : nil
        )
    }

    /// Returns the name of a group of routes.
    static func name(of system: ServedSystem?) -> String {
        switch system {
        case .humon: "Humon"
        case .todo: "Todo"
        case .mytasks: "MyTasks"
        case .twosquare: "Twosquare"
        case nil: "Server"
        }
    }

    /// Returns the description of a group of routes.
    static func meaning(of system: ServedSystem?) -> String {
        switch system {
        case .humon: "Events near you, and the users who attend them."
        case .todo: "Task lists with accounts. Accounts and tokens are separate from Humon's."
        case .mytasks:
            "One task list that everyone shares. It has no users: anyone can write."
        case .twosquare: "Check-ins. It has no users: anyone can write."
        case nil: "Documentation and pages."
        }
    }

    /// Adds everything that is common to all routes to a route's operation.
    private func complete(_ route: Route) -> Operation {
        // The response to an unsupported method has the format of the path's first route.
        let first = routes.first { $0.pattern == route.pattern } ?? route
        let own = route.operation
        let described = Set(own.responses.map(\.status.code))
        let common = route.errorShape.responses(ofPath: first.errorShape.ofUnsupportedMethod)
        let operation = own.withHeaders(isRead: route.isRead, route.errorShape).adding(
            parameters: parameters(of: route),
            responses: common.filter { !described.contains($0.status.code) }
        )
        guard described.contains(400) else { return operation }
        // The operation's own 400 and the common one are alternatives.
        return operation.adding(responses: common.filter { $0.status == .badRequest })
    }
}

extension APIDescription {
    /// Returns the named schemas of a system, in the order of their names; O(n log n).
    func schemas(of system: ServedSystem) -> [(name: String, node: Node)] {
        document(of: routes.filter { $0.system == system }).schemas
    }

    /// Returns the conditional headers that the operation supports.
    private func parameters(of route: Route) -> [Parameter] {
        if route.isRead { return [.ifNoneMatch] }
        let isConditional = route.operation.responses.contains { $0.status == .preconditionFailed }
        return isConditional ? [.ifMatch, .ifNoneMatch] : []
    }
}

extension Operation {
    /// Returns a copy with the headers that all responses have.
    fileprivate func withHeaders(isRead: Bool, _ errorShape: ErrorShape) -> Operation {
        var operation = self
        operation.responses = responses.map { response in
            let tag = isRead && response.status == .ok ? [ResponseHeader.etag] : []
            return response.adding(headers: tag + [.requestID])
        }
        if isRead {
            operation.responses += [
                PossibleResponse(
                    .notModified,
                    "The response has not changed: If-None-Match names its ETag.",
                    headers: [.etag, .requestID],
                    name: "NotModified"
                ),
                errorShape.response(
                    .preconditionFailed,
                    "If-Match doesn't name the ETag of the response.",
                    headers: [.etag]
                ),
            ]
        }
        return operation
    }
}

extension Parameter {
    fileprivate static let ifMatch = Parameter(
        "If-Match",
        in: .header,
        "ETags, one of which must be the record's, or *. GET returns the ETag.",
        .text()
    )
    fileprivate static let ifNoneMatch = Parameter(
        "If-None-Match",
        in: .header,
        "ETags that the client has, or *.",
        .text()
    )
}
