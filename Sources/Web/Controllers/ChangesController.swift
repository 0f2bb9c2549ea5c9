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
        let query = try ChangeQuery(
            call.request,
            systems: services.systems,
            EventParameterContext(
                now: .now(),
                zones: services.zones,
                maximumLimit: services.limits.results,
                openEndHours: services.openEndHours,
                searchesText: services.searchesText,
                allowsFields: false,
                cursor: { _ in .invalid }
            )
        )
        let (filter, userID) = try await filter(of: query, call)
        let digits = ChangeCursor.digits(of: query.text, userID: userID)
        let changes = services.changes
        var position: ChangePosition?
        switch query.start {
        case .beginning: break
        case .now: position = try await changes.latest()
        case .cursor(let known, let of):
            if of != digits { throw RequestError.cursorEnded }
            position = known
        }
        guard let page = try await changes.page(filter, after: position, limit: query.limit) else {
            throw RequestError.cursorEnded
        }
        if query.wait > 0, page.changes.isEmpty, !page.hasMore, call.request.method == .get {
            guard changes.signal.count < services.streams else { throw RequestError.tooManyStreams }
            var response = Response(.ok, headers: Self.headers)
            response.stream = ChangeWait(
                changes,
                filter,
                page.position,
                limit: query.limit,
                seconds: query.wait
            ) { ChangeView.json($0, cursor: ChangeCursor.text(of: $0.position, digits: digits)) }
            return response
        }
        let cursor = ChangeCursor.text(of: page.position, digits: digits)
        return Response(.ok, headers: Self.headers, body: ChangeView.json(page, cursor: cursor))
    }

    private static let headers: Headers = [
        "content-type": Response.jsonType, "cache-control": "no-store",
    ]

    /// Returns the filter for the request's user or account, and its id.
    private func filter(
        of query: ChangeQuery,
        _ call: Call
    ) async throws -> (ChangeFilter, userID: Int64?) {
        let (authentication, request) = (services.authentication, call.request)
        let token = authentication.viewerToken(of: request)
        switch query.subject {
        case .region(var region):
            let userID = token == nil ? nil : try await authentication.viewer(of: request)
            region.viewer = EventViewer(token: token?.bytes)
            return (.region(region, userID: userID), userID)
        case .mine:
            let id = try await authentication.user(of: request, acceptsAuthorization: true).id
            let viewer = EventViewer(userID: id, token: token?.bytes, seesHidden: true)
            return (.mine(viewer, userID: id), id)
        case .tasks:
            let accounts = services.accountAuthentication
            let id = try await accounts.accountID(of: call, call.parameters())
            return (.tasks(accountID: id), id)
        }
    }
}

/// The body of a response that waits for a change.
///
/// It looks whenever the log may have changes, and now and then for those of other programs.
final class ChangeWait: BodyStream {
    private struct State {
        var position: ChangePosition
        var waiter: UInt64?
        var wake: @Sendable () -> Void = {}
        /// Whether the log may have changes since the look began.
        var mustLook = false
        var isLooking = false
        /// The rest of the body, once it is known.
        var body: ArraySlice<UInt8>?
    }

    /// The time between two looks for changes of other programs, in ms.
    private static let lookMilliseconds: Int64 = 1000

    private let changes: any ChangeStore
    private let filter: ChangeFilter
    private let limit: Int
    private let deadline: Int64
    private let render: @Sendable (ChangePage) -> [UInt8]
    private let state: Mutex<State>

    /// Creates the body of a request whose client has seen everything up to a position.
    init(
        _ changes: any ChangeStore,
        _ filter: ChangeFilter,
        _ position: ChangePosition,
        limit: Int,
        seconds: Int,
        render: @escaping @Sendable (ChangePage) -> [UInt8]
    ) {
        self.changes = changes
        self.filter = filter
        self.limit = limit
        deadline = MonotonicClock.milliseconds() + Int64(seconds) * 1000
        self.render = render
        state = Mutex(State(position: position))
    }

    func open(wake: @escaping @Sendable () -> Void) {
        let waiter = changes.signal.add { [self] in
            state.withLock { $0.mustLook = true }
            wake()
        }
        state.withLock { state in
            state.waiter = waiter
            state.wake = wake
        }
    }

    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress {
        let rest = deadline - MonotonicClock.milliseconds()
        let (piece, progress, mustLook) = state.withLock {
            state -> (ArraySlice<UInt8>, BodyProgress, Bool) in
            if state.body == nil, isStopping || rest <= 0 {
                state.body = render(ChangePage([], at: state.position, hasMore: false))[...]
            }
            if let body = state.body {
                let piece = body.prefix(BodyProgress.pieceBytes)
                state.body = body.dropFirst(piece.count)
                return (piece, piece.count == body.count ? .end : .more, false)
            }
            let mustLook = !state.isLooking
            if mustLook { (state.mustLook, state.isLooking) = (false, true) }
            let wait = min(rest, Self.lookMilliseconds)
            return ([], .wait(milliseconds: Int(wait)), mustLook)
        }
        output += piece
        if mustLook { look() }
        return progress
    }

    func close() {
        if let waiter = state.withLock({ $0.waiter }) { changes.signal.remove(waiter) }
    }

    /// Looks for changes beside the event loop, and ends the wait if there are some.
    private func look() {
        let position = state.withLock { $0.position }
        Task {
            let page = try? await changes.page(filter, after: position, limit: limit)
            finishLook(page)
        }
    }

    /// Keeps a page with changes as the body; a cursor that has ended is returned as it is, and
    /// the next request fails.
    private func finishLook(_ page: ChangePage?) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            state.isLooking = false
            state.position = page?.position ?? state.position
            if let page, page.changes.isEmpty, !page.hasMore {
                return state.mustLook ? state.wake : nil
            }
            let last = page ?? ChangePage([], at: state.position, hasMore: false)
            state.body = render(last)[...]
            return state.wake
        }
        wake?()
    }
}
