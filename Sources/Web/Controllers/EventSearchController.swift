import Events
import HTTP
import JSON
import Model
import Rules
import Time

/// Searches for events: in any representation, near a point, and for the cells of a map.
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

    /// Returns the events near a point, nearest first.
    func nearests(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let query = try NearestQuery(
            latitude: parameters["lat"],
            longitude: parameters["lon"],
            radius: parameters["radius"],
            limit: parameters["limit"],
            maximumLimit: services.limits.results
        )
        var search = EventQuery(nearestTo: query.origin, within: query.radius, limit: query.limit)
        search.filter.viewer.token =
            services.authentication.viewerToken(of: call.request)?.bytes
        let page = try await services.events.page(search)
        // The app understands an object as "nothing found", and crashes on an empty array.
        if page.rows.isEmpty { return .object(.ok) { $0.field("message", "No Events Found") } }
        return await ListBody.json(page.rows) { row, json in json.encoded(row.json.span) }
            .response(.ofJSON)
    }

    /// Returns the number of events in each cell of a map.
    func clusters(_ call: Call) async throws -> Response {
        let query = try EventSearchQuery(call.request, names: EventParameterName.ofClusters)
        let context = services.parameterContext(maximumLimit: 1)
        let (parameters, zoom) = try EventParameters.clusters(
            query.values,
            unknown: query.unknown,
            context
        )
        let user =
            parameters.needsUser
            ? try await services.authentication.user(of: call.request, acceptsAuthorization: true)
            : nil
        let viewer = EventViewer(
            userID: user?.id,
            token: services.authentication.viewerToken(of: call.request)?.bytes,
            seesHidden: true
        )
        let clusters = try await services.events.clusters(
            ClusterQuery(filter: parameters.filter(for: viewer), zoom: zoom)
        )
        var response = await ClusterView.body(of: clusters).response(.ofJSON)
        if user != nil { response.headers.vary(on: Authentication.viewerFields) }
        return response
    }
}

extension Request {
    /// The representation of events that the header `Accept` prefers.
    var preferredEventFormat: EventFormat {
        EventFormat.preferred(accept: headers.list("accept"))
    }
}
