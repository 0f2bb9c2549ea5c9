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
            call,
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
        // A request that may wait reserves no memory.
        let limit = query.wait > 0 ? min(query.limit, Self.mostAfterWait) : query.limit
        guard let page = try await changes.page(filter, after: position, limit: limit) else {
            throw RequestError.cursorEnded
        }
        if query.wait > 0, page.changes.isEmpty, !page.hasMore, call.request.method == .get {
            guard let waiter = changes.signal.add(limit: services.streams) else {
                throw RequestError.tooManyStreams
            }
            var response = Response(.ok, headers: Self.headers)
            response.stream = ChangeWait(
                changes,
                filter,
                page.position,
                waiter: waiter,
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
/// It looks when the log may have changes, and now and then for those of other programs.
final class ChangeWait: BodyStream {
    private struct State {
        var position: ChangePosition
        var wake: @Sendable () -> Void = {}
        var isLooking = false
        /// Whether the log may have changes since the look began.
        var mustLook = false
        /// When the last look began, and when white space is due, in ms of the monotonic clock.
        var lookedAt: Int64
        var nextSpace: Int64
        /// The rest of the body, once it is known.
        var body: ArraySlice<UInt8>?

        /// When the next look is due.
        var nextLook: Int64 {
            lookedAt + (mustLook ? lookMilliseconds.least : lookMilliseconds.most)
        }
    }

    /// The shortest and the longest time between two looks, in ms.
    ///
    /// Changes elsewhere wake a request as well, so looks must not follow each commit.
    private static let lookMilliseconds: (least: Int64, most: Int64) = (250, 1000)
    /// The time between two white spaces, to which a client that has gone responds, in ms.
    private static let spaceMilliseconds: Int64 = 10_000

    private let changes: any ChangeStore
    private let filter: ChangeFilter
    /// The number of the request in the signal.
    private let waiter: UInt64
    private let limit: Int
    private let deadline: Int64
    private let milliseconds: @Sendable () -> Int64
    private let isValid: @Sendable () async -> Bool
    private let render: @Sendable (ChangePage) -> [UInt8]
    private let state: Mutex<State>

    /// Creates the body of a request whose client has seen everything up to a position.
    ///
    /// `milliseconds` is a monotonic clock. `isValid` returns whether the client may still see what
    /// the filter shows.
    init(
        _ changes: any ChangeStore,
        _ filter: ChangeFilter,
        _ position: ChangePosition,
        waiter: UInt64,
        limit: Int,
        seconds: Int,
        milliseconds: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds,
        isValid: @escaping @Sendable () async -> Bool,
        render: @escaping @Sendable (ChangePage) -> [UInt8]
    ) {
        self.changes = changes
        self.filter = filter
        self.waiter = waiter
        self.limit = limit
        self.milliseconds = milliseconds
        let now = milliseconds()
        deadline = now + Int64(seconds) * 1000
        self.isValid = isValid
        self.render = render
        state = Mutex(
            State(
                position: position,
                lookedAt: now - Self.lookMilliseconds.most,
                nextSpace: now + Self.spaceMilliseconds
            )
        )
    }

    deinit { changes.signal.remove(waiter) }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        changes.signal.setWake(of: waiter) { [weak self] in
            self?.state.withLock { $0.mustLook = true }
            wake()
        }
    }

    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress {
        let now = milliseconds()
        let (piece, progress, mustLook) = state.withLock { state in
            if state.body == nil, isStopping || now >= deadline { end(&state) }
            return step(&state, now)
        }
        output += piece
        if mustLook { look() }
        return progress
    }

    func close() {
        changes.signal.remove(waiter)
        state.withLock { $0.wake = {} }
    }

    /// Returns the next piece, the progress after it, and whether to look for changes.
    private func step(_ state: inout State, _ now: Int64) -> ([UInt8], BodyProgress, Bool) {
        if let body = state.body {
            let piece = body.prefix(BodyProgress.pieceBytes)
            state.body = body.dropFirst(piece.count)
            return (Array(piece), piece.count == body.count ? .end : .more, false)
        }
        let mustLook = !state.isLooking && now >= state.nextLook
        if mustLook {
            (state.isLooking, state.mustLook, state.lookedAt) = (true, false, now)
        }
        var piece: [UInt8] = []
        if now >= state.nextSpace {
            piece = [UInt8(ascii: " ")]
            state.nextSpace = now + Self.spaceMilliseconds
        }
        // The end of a look wakes the stream.
        let pause = min(deadline, state.isLooking ? state.nextSpace : state.nextLook) - now
        return (piece, .wait(milliseconds: Int(pause)), mustLook)
    }

    /// Ends the wait without changes.
    private func end(_ state: inout State, hasMore: Bool = false) {
        state.body = render(ChangePage([], at: state.position, hasMore: hasMore))[...]
    }

    /// Looks for changes beside the event loop, and ends the wait if there are some.
    private func look() {
        let position = state.withLock { $0.position }
        Task {
            // A cursor that has ended is returned as it is, and the next request fails.
            let page = try? await changes.page(filter, after: position, limit: limit)
            let isQuiet = page.map { $0.changes.isEmpty && !$0.hasMore } ?? false
            let isValid = isQuiet ? true : await isValid()
            let wake = state.withLock { state -> @Sendable () -> Void in
                state.isLooking = false
                if let page, isQuiet {
                    state.position = page.position
                } else {
                    finish(&state, isValid ? page : nil)
                }
                return state.wake
            }
            wake()
        }
    }

    /// Ends the wait with a page, or lets the client request it at once if it is long: waiting
    /// clients that don't read must not take much memory.
    private func finish(_ state: inout State, _ page: ChangePage?) {
        guard let page else { return end(&state) }
        let body = render(page)
        if body.count > BodyProgress.pieceBytes { return end(&state, hasMore: true) }
        (state.position, state.body) = (page.position, body[...])
    }
}
