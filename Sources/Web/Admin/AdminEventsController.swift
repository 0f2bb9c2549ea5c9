import Events
import HTTP
import JSON
import Model

/// Events as admins see them: all, also the hidden and the private ones.
struct AdminEventsController: Sendable {
    let services: Services

    private static let maximumLimit = 200
    private static let usualLimit = 50
    /// The number of the newest reported events among which a search finds some.
    private static let maximumReported = 100_000
    /// The number of attendances at which counting ends.
    private static let maximumCount = 10_000

    /// Finds events, as `GET /v1/events` does.
    ///
    /// An admin has no own events, the order doesn't depend on the representation, and cancelled
    /// events are found by default.
    func index(_ call: Call) async throws -> Response {
        let query = try EventSearchQuery(call.request, names: EventParameterName.ofAdmins)
        let filters = query.filterText
        let context = services.parameterContext(
            maximumLimit: Self.maximumLimit,
            isForAdmin: true
        ) { EventCursor.read($0, filters: filters) }
        let parameters = try EventParameters(query.values, unknown: query.unknown, context)
        var filter = parameters.filter(for: .admin)
        if parameters.isReported {
            filter.ids = try await services.moderation.reportedEvents(limit: Self.maximumReported)
        }
        let page = try await services.events.page(
            EventQuery(
                filter: filter,
                order: parameters.order,
                limit: parameters.limit ?? Self.usualLimit,
                start: parameters.start,
                counts: parameters.counts,
                needsEvents: true
            )
        )
        let body = AdminEventView.json(
            page,
            reports: try await services.moderation.openReportCounts(ofEvents: page.rows.map(\.id)),
            unit: filter.origin == nil ? nil : parameters.unit,
            cursor: page.next.map { EventCursor.text(of: $0, filters: filters) }
        )
        return await body.response(.ofJSON)
    }

    func show(_ call: Call) async throws -> Response { try await response(with: call.id()) }

    /// Returns the events with these ids, by id.
    func events(_ ids: [Int64]) async throws -> [Int64: EventRow] {
        var filter = EventFilter.ofAdmin
        filter.ids = ids.sorted()
        let query = EventQuery(
            filter: filter,
            order: .id(isDescending: false),
            limit: max(1, ids.count),
            needsEvents: true
        )
        let rows = try await services.events.page(query).eventRows
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Returns the response with an event, whose entity tag is `AdminEventView.etag` of the event.
    ///
    /// Throws `RequestError.notFound` if the event does not exist.
    func response(with id: Int64) async throws -> Response {
        let row = try await events([id])[id].orThrow(.notFound)
        let reports = try await services.moderation.openReportCounts(ofEvents: [id])[id]
        let attendances = try await services.moderation.attendanceCount(
            ofEvent: id,
            limit: Self.maximumCount
        )
        var response = Response.json(.ok) { json in
            json.event(row, reports: reports) { $0.field("attendances", attendances) }
        }
        response.headers.append("etag", AdminEventView.etag(row.event.event))
        return response
    }
}

extension EventFilter {
    /// The filter of an admin, who sees all events.
    static var ofAdmin: EventFilter {
        var filter = EventFilter()
        (filter.viewer, filter.statuses) = (.admin, .any)
        return filter
    }
}
