import HTTP
import Model
import Time

/// Searches for events, in any representation.
struct EventSearchController: Sendable {
    let services: Services

    /// Returns an action that responds in this format, or in the one that `Accept` selects.
    func index(_ format: EventFormat?) -> Action {
        { call in try await index(call, format) }
    }

    private func index(_ call: Call, _ fixed: EventFormat?) async throws -> Response {
        let request = call.request
        let format = fixed ?? (call.namesJSON ? .json : request.preferredEventFormat)
        var query = try EventSearchQuery(request, names: EventParameterName.ofSearches)
        query.addOrder(of: format)
        let filters = query.filterText
        let parameters = try parameters(of: query, filters, format)
        let user = parameters.needsUser ? try await user(of: request, format) : nil
        let conditions = Conditions(request).flatMap { $0.isOnlyAboutChanges ? $0 : nil }
        let key =
            conditions == nil ? nil : key(format, query, filters, call, parameters, user)
        if let key, let conditions, let unchanged = unchanged(key, conditions) {
            return varying(unchanged, format, call)
        }
        let address = format.hasURLs ? call.address : ""
        var presentation = presentation(
            parameters,
            format,
            link: format.hasURLs ? address + query.link(from: request, filters: filters) : "",
            filters: filters,
            installation: format.hasUUIDs ? try await services.installation.uuid() : ""
        )
        presentation.eventLink = address + (services.hasMap ? "/map#event=" : "/v1/events/")
        let page = try await services.events.page(
            EventQuery(
                filter: parameters.filter(for: user),
                order: parameters.order,
                limit: parameters.limit ?? format.defaultLimit(maximum: services.limits.results),
                start: parameters.start,
                counts: parameters.counts,
                needsEvents: format.needsEvents(for: parameters.fields),
                allowsShortPages: format.canBeShort
            )
        )
        let response = varying(
            await response(page, format, presentation, query, call),
            format,
            call
        )
        // Most clients never send a tag, and storing theirs takes time.
        if let key, let state = page.state, let tag = response.headers["etag"] {
            services.knownTags.remember(tag, of: key, at: state)
        }
        return response
    }

    /// Returns what the response to a request depends on, besides the events.
    private func key(
        _ format: EventFormat,
        _ query: EventSearchQuery,
        _ filters: String,
        _ call: Call,
        _ parameters: EventParameters,
        _ user: Int64?
    ) -> KnownTags.Key {
        let window = parameters.filter.window
        return KnownTags.Key(
            format: format,
            link: (format.hasURLs ? call.address : call.prefix)
                + query.link(from: call.request, filters: filters),
            from: window.from?.milliseconds,
            to: window.to?.milliseconds,
            userID: user
        )
    }

    /// Returns a 304 if the client has the current response and no search is needed to know it.
    private func unchanged(_ key: KnownTags.Key, _ conditions: Conditions) -> Response? {
        guard let state = services.events.state,
            let tag = services.knownTags.tag(of: key, at: state),
            conditions.know(tag)
        else { return nil }
        return Response(.notModified, headers: ["etag": tag])
    }

    /// Returns a response with the forwarding headers that it depends on in `Vary`.
    ///
    /// Other formats than Atom contain a path at most, which only a proxy with a prefix changes.
    private func varying(_ response: Response, _ format: EventFormat, _ call: Call) -> Response {
        var response = response
        if format.hasURLs {
            response.headers.vary(on: Call.addressFields)
        } else if call.request.headers["x-forwarded-prefix"] != nil {
            response.headers.vary(on: Call.prefixFields)
        }
        return response
    }

    private func parameters(
        of query: EventSearchQuery,
        _ filters: String,
        _ format: EventFormat
    ) throws(ModelError) -> EventParameters {
        try EventParameters(
            query.values,
            unknown: query.unknown,
            EventParameterContext(
                now: .now(),
                zones: services.zones,
                maximumLimit: services.limits.results,
                openEndHours: services.openEndHours,
                allowsFields: format.hasFields,
                cursor: { EventCursor.read($0, filters: filters) }
            )
        )
    }

    /// Returns the id of the request's user.
    private func user(of request: Request, _ format: EventFormat) async throws -> Int64 {
        do {
            return try await services.authentication.user(of: request, acceptsAuthorization: true)
                .id
        } catch RequestError.unauthorized where format == .ics || format == .atom {
            throw RequestError.passwordRequired
        }
    }

    private func presentation(
        _ parameters: EventParameters,
        _ format: EventFormat,
        link: String,
        filters: String,
        installation: String
    ) -> EventPresentation {
        let zone = parameters.zone
        return EventPresentation(
            unit: parameters.unit,
            hasPoint: parameters.filter.origin != nil,
            fields: parameters.fields,
            offset: { zone.offset(at: $0) },
            isUTC: zone == .utc,
            title: format.hasTitle
                ? parameters.title ?? EventText.title(of: parameters.filter) : "",
            isBusy: parameters.attendee != nil,
            selfLink: link,
            installation: installation,
            filterText: filters
        )
    }

    /// The number of header fields of a typical response.
    private static let usualHeaders = 8

    private func response(
        _ page: EventPage,
        _ format: EventFormat,
        _ presentation: EventPresentation,
        _ query: EventSearchQuery,
        _ call: Call
    ) async -> Response {
        var presentation = presentation
        presentation.cursor = page.next.map { position in
            EventCursor.text(of: position, filters: presentation.filterText)
        }
        presentation.nextLink = presentation.cursor.map { cursor in
            call.prefix
                + query.link(from: call.request, filters: presentation.filterText, cursor: cursor)
        }
        var headers = Headers()
        headers.reserveCapacity(Self.usualHeaders)
        headers.append("content-type", format.mediaType)
        if let next = presentation.nextLink { headers.append("link", "<\(next)>; rel=\"next\"") }
        var response = await format.body(of: page, as: presentation).response(headers)
        response.headers.append("etag", ETag.make(for: response.body.span))
        return response
    }
}

extension Request {
    /// The representation of events that the header `Accept` prefers.
    var preferredEventFormat: EventFormat {
        EventFormat.preferred(accept: headers.list("accept"))
    }

    /// The value of the parameter `limit`, or nil without a number; O(length of the query).
    var limit: Int? {
        let name = "limit="
        let pair = query?.split(separator: "&").last { $0.hasPrefix(name) }
        return pair.flatMap { Int($0.dropFirst(name.count)) }
    }
}
