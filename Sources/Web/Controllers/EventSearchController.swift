import Events
import HTTP
import Model
import Rules
import Time

/// Searches for events, in any representation.
struct EventSearchController: Controller {
    let services: Services

    /// A request for a page, as far as it is understood.
    private struct Search {
        let call: Call
        let format: EventFormat
        let query: EventSearchQuery
        /// The query's filters in their canonical form, with which each link begins.
        let filters: String
        let parameters: EventParameters
        let viewer: EventViewer
        /// Whether the header `Accept` has selected the format.
        let isNegotiated: Bool

        /// Returns the link to the page with this cursor, by default to the requested page.
        func link(cursor: String? = nil) -> String {
            query.link(from: call.request, filters: filters, cursor: cursor)
        }

        /// Adds the headers with tokens and those of proxies that a response depends on to `Vary`.
        ///
        /// Other formats than Atom contain a path at most, which only a proxy with a prefix
        /// changes.
        func vary(_ headers: inout Headers) {
            if viewer.userID != nil {
                if isNegotiated { headers.vary(on: "Accept") }
                headers.vary(on: Authentication.viewerFields)
            }
            if format.hasURLs {
                headers.vary(on: Call.addressFields)
            } else if call.request.headers["x-forwarded-prefix"] != nil {
                headers.vary(on: Call.prefixFields)
            }
        }
    }

    /// Returns an action that responds in this format, or as `Accept` selects.
    func index(_ format: EventFormat?) -> Action {
        { call in
            let automatic = call.namesJSON ? .json : call.request.preferredEventFormat
            let isNegotiated = format == nil && !call.namesJSON
            return try await respond(to: search(call, format ?? automatic, isNegotiated))
        }
    }

    private func search(
        _ call: Call,
        _ format: EventFormat,
        _ isNegotiated: Bool
    ) async throws -> Search {
        var query = try EventSearchQuery(call.request, names: EventParameterName.ofSearches)
        query.addOrder(of: format)
        let filters = query.filterText
        let parameters = try EventParameters(
            query.values,
            unknown: query.unknown,
            services.parameterContext(allowsFields: format.hasFields) {
                EventCursor.read($0, filters: filters)
            }
        )
        return Search(
            call: call,
            format: format,
            query: query,
            filters: filters,
            parameters: parameters,
            viewer: EventViewer(
                userID: parameters.needsUser ? try await user(of: call.request, format) : nil,
                token: services.authentication.viewerToken(of: call.request)?.bytes,
                seesHidden: format == .json || format == .geojson
            ),
            isNegotiated: isNegotiated
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

    private func respond(to search: Search) async throws -> Response {
        let (format, parameters) = (search.format, search.parameters)
        let page = try await services.events.page(
            EventQuery(
                filter: parameters.filter(for: search.viewer),
                order: parameters.order,
                limit: parameters.limit ?? format.defaultLimit(maximum: services.limits.results),
                start: parameters.start,
                counts: parameters.counts,
                needsEvents: format.needsEvents(for: parameters.fields),
                allowsShortPages: format.canBeShort
            )
        )
        let presentation = try await presentation(of: page, search)
        var headers = Headers()
        headers.reserveCapacity(Self.usualHeaders)
        headers.append("content-type", format.mediaType)
        if let next = presentation.nextLink { headers.append("link", "<\(next)>; rel=\"next\"") }
        var response = await format.body(of: page, as: presentation).response(headers)
        response.headers.append("etag", ETag.make(for: response.body.span))
        search.vary(&response.headers)
        return response
    }

    private func presentation(
        of page: EventPage,
        _ search: Search
    ) async throws -> EventPresentation {
        let (format, parameters, zone) = (search.format, search.parameters, search.parameters.zone)
        let address = format.hasURLs ? search.call.address : ""
        let cursor = page.next.map { EventCursor.text(of: $0, filters: search.filters) }
        return EventPresentation(
            unit: parameters.unit,
            hasPoint: parameters.filter.origin != nil,
            fields: parameters.fields,
            offset: { zone.offset(at: $0) },
            isUTC: zone == .utc,
            title: format.hasTitle
                ? parameters.title ?? EventText.title(of: parameters.filter) : "",
            isBusy: parameters.attendee != nil,
            selfLink: format.hasURLs ? address + search.link() : "",
            eventLink: address + (services.settings.map != nil ? "/map#event=" : "/v1/events/"),
            nextLink: cursor.map { search.call.prefix + search.link(cursor: $0) },
            cursor: cursor,
            installation: format.hasUUIDs ? try await services.installation.uuid() : "",
            filterText: search.filters
        )
    }

    /// The number of header fields of a typical response.
    private static let usualHeaders = 8
}

extension Request {
    /// The representation of events that the header `Accept` prefers.
    var preferredEventFormat: EventFormat {
        EventFormat.preferred(accept: headers.list("accept"))
    }
}
