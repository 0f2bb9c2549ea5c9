import Events
import HTTP
import Model
import Rules
import System
import Time

/// The changes of the records that a client shows, since it last looked.
struct ChangesController: Sendable {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        do {
            return try await page(call)
        } catch let reason as NewStart {
            services.streamPlaces.note(reason)
            throw reason
        }
    }

    private func page(_ call: Call) async throws -> Response {
        let query = try query(of: call, isStream: false)
        let (filter, userID) = try await filter(of: query, call)
        let digits = ChangeCursor.digits(of: query.text, userID: userID)
        let changes = services.changes
        var position: ChangePosition?
        switch query.start {
        case .beginning: break
        case .now: position = try await changes.latest()
        case .cursor(let known, let of):
            if of != digits { throw NewStart.filter }
            position = known
        }
        // A request that may wait reserves no memory.
        let limit = query.wait > 0 ? min(query.limit, Self.mostAfterWait) : query.limit
        let page = try await changes.page(filter, after: position, limit: limit)
        if query.wait > 0, page.changes.isEmpty, !page.hasMore, call.request.method == .get {
            let place = try services.streamPlaces.take(for: call.clientAddress)
            var response = Response(.ok, headers: Self.headers)
            response.stream = ChangeWait(
                changes,
                services.liveChanges,
                ChangeGroup("wait \(userID ?? 0) \(query.text)", filter) { _ in [] },
                page.position,
                place: place,
                limit: limit,
                seconds: query.wait,
                isValid: { (try? await self.filter(of: query, call).userID) == userID },
                render: { page in
                    let cursor = ChangeCursor.text(of: page.position, digits: digits)
                    return ChangeView.json(page, cursor: cursor)
                }
            )
            return response
        }
        let cursor = ChangeCursor.text(of: page.position, digits: digits)
        return Response(.ok, headers: Self.headers, body: ChangeView.json(page, cursor: cursor))
    }

    /// Returns a stream of changes.
    func stream(_ call: Call) async throws -> Response {
        let query = try query(of: call, isStream: true)
        let (filter, userID) = try await filter(of: query, call)
        let digits = ChangeCursor.digits(of: query.text, userID: userID)
        var position: ChangePosition?
        switch query.start {
        case .beginning: break
        case .now: position = try await services.changes.latest()
        case .cursor(let known, let of):
            if of == digits { position = known } else { services.streamPlaces.note(.filter) }
        }
        let token: [UInt8]? =
            switch filter {
            case .region(let region, _): userID == nil ? nil : region.viewer.token
            case .mine(let viewer, _): viewer.token
            case .tasks(let accountID): [UInt8]("account \(accountID)".utf8)
            case .webhook: nil
            }
        let reasonToEnd: @Sendable () async -> StreamEnd? = {
            do {
                let current = try await self.filter(of: query, call).userID
                return current == userID ? nil : current == nil ? .unauthorized : .merged
            } catch {
                // The storage may have failed.
                return error is RequestError ? .unauthorized : nil
            }
        }
        var response = Response(.ok, headers: Self.streamHeaders)
        response.endsConnection = true
        response.stream = ChangeStream(
            services.changes,
            services.liveChanges,
            // A user's tokens end apart.
            ChangeGroup("\(token ?? []) \(userID ?? 0) \(query.text)", filter) { changes in
                ChangeView.blocks(changes, digits: digits)
            },
            digits: digits,
            position,
            // HEAD opens none.
            place: call.request.method == .head
                ? nil : try services.streamPlaces.take(for: call.clientAddress, token: token),
            heartbeatSeconds: services.streamPlaces.limits.heartbeatSeconds,
            reasonToEnd: token == nil ? nil : reasonToEnd
        )
        return response
    }

    private func query(of call: Call, isStream: Bool) throws -> ChangeQuery {
        try ChangeQuery(
            call,
            isStream: isStream,
            systems: services.systems,
            services.parameterContext()
        )
    }

    private static let streamHeaders: Headers = [
        "content-type": "text/event-stream; charset=utf-8",
        // Without a length, some proxies would compress or hold back the stream.
        "cache-control": "no-store, no-transform", "x-accel-buffering": "no",
    ]

    /// The maximum number of records in the response to a request that may wait.
    private static let mostAfterWait = 100

    private static let headers: Headers = [
        "content-type": Response.jsonType, "cache-control": "no-store",
    ]

    /// Returns the filter for the request's user or account, and its id.
    private func filter(
        of query: ChangeQuery,
        _ call: Call
    ) async throws -> (ChangeFilter, userID: Int64?) {
        let token = services.authentication.viewerToken(of: call.request)
        switch query.subject {
        case .region(var region):
            let userID =
                token == nil ? nil : try await services.authentication.viewer(of: call.request)
            region.viewer = EventViewer(token: token?.bytes)
            return (.region(region, userID: userID), userID)
        case .mine:
            let authentication = services.authentication
            let user = try await authentication.user(of: call.request, acceptsAuthorization: true)
            let id = user.id
            let viewer = EventViewer(userID: id, token: token?.bytes, seesHidden: true)
            return (.mine(viewer, userID: id), id)
        case .tasks:
            let accounts = services.accountAuthentication
            let id = try await accounts.accountID(of: call, call.parameters())
            return (.tasks(accountID: id), id)
        }
    }
}
