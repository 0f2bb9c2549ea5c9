import HTTP
import Model
import System

/// The body of a response that waits for a change.
///
/// It looks whenever a change has reached it, and once at its beginning.
final class ChangeWait: BodyStream, ChangeReader {
    private struct State {
        var position: ChangePosition
        var wake: @Sendable () -> Void = {}
        var isLooking = false
        var isAdded = false
        var isClosed = false
        /// Whether there may be changes since the look began.
        var mustLook = true
        /// When white space is due, in ms of the monotonic clock.
        var nextSpace: Int64
        /// The rest of the body, once it is known.
        var body: ArraySlice<UInt8>?
    }

    /// The time between two white spaces, to which a client that has gone responds, in ms.
    private static let spaceMilliseconds: Int64 = 10_000

    private let changes: any ChangeStore
    private let live: any LiveChanges
    private let group: ChangeGroup
    /// Its place among the open streams.
    private let place: StreamPlace
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
        _ live: any LiveChanges,
        _ group: ChangeGroup,
        _ position: ChangePosition,
        place: StreamPlace,
        limit: Int,
        seconds: Int,
        milliseconds: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds,
        isValid: @escaping @Sendable () async -> Bool,
        render: @escaping @Sendable (ChangePage) -> [UInt8]
    ) {
        self.changes = changes
        self.live = live
        self.group = group
        self.place = place
        self.limit = limit
        self.milliseconds = milliseconds
        let now = milliseconds()
        deadline = now + Int64(seconds) * 1000
        self.isValid = isValid
        self.render = render
        state = Mutex(
            State(
                position: position,
                nextSpace: now + Self.spaceMilliseconds
            )
        )
    }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    func receive(_ changes: [UInt8], after start: Int64, upTo number: Int64) { lose() }

    func lose() {
        let wake = state.withLock { state in
            state.mustLook = true
            return state.wake
        }
        wake()
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
        // First, so that a reader that is being added is removed again.
        state.withLock { ($0.wake, $0.isClosed) = ({}, true) }
        live.remove(self)
    }

    /// Returns the next piece, the progress after it, and whether to look for changes.
    private func step(_ state: inout State, _ now: Int64) -> ([UInt8], BodyProgress, Bool) {
        if let body = state.body {
            let piece = body.prefix(BodyProgress.pieceBytes)
            state.body = body.dropFirst(piece.count)
            return (Array(piece), piece.count == body.count ? .end : .more, false)
        }
        let mustLook = !state.isLooking && state.mustLook
        if mustLook { (state.isLooking, state.mustLook) = (true, false) }
        var piece: [UInt8] = []
        if now >= state.nextSpace {
            piece = [UInt8(ascii: " ")]
            state.nextSpace = now + Self.spaceMilliseconds
        }
        // The end of a look wakes the stream.
        let pause = min(deadline, state.nextSpace) - now
        return (piece, .wait(milliseconds: Int(pause)), mustLook)
    }

    /// Ends the wait without changes.
    private func end(_ state: inout State, hasMore: Bool = false) {
        state.body = render(ChangePage([], at: state.position, hasMore: hasMore))[...]
    }

    /// Looks for changes beside the event loop, and ends the wait if there are some.
    private func look() {
        let position = state.withLock { $0.position }
        live.perform { [self] in
            // A cursor that has ended is returned as it is, and the next request fails.
            let page = try? await page(after: position)
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

    private func page(after position: ChangePosition) async throws -> ChangePage {
        // From here on, all later changes reach it.
        if !state.withLock({ $0.isAdded }) {
            try await live.add(self, to: group)
            let isClosed = state.withLock { state in
                state.isAdded = true
                return state.isClosed
            }
            if isClosed { live.remove(self) }
        }
        return try await changes.page(group.filter, after: position, limit: limit)
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
