import HTTP
import Model
import System

/// The body of a response that sends changes as they happen, as server-sent events
/// (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
///
/// A stream that has not caught up reads pages of changes, as requests do. Afterwards it receives
/// live changes. If its client reads too slowly for these, it reads pages again.
final class ChangeStream: BodyStream, ChangeReader {
    /// Live changes.
    private struct Batch {
        let bytes: [UInt8]
        /// The numbers of the change before its first, and of its last.
        let start, number: Int64
    }

    private struct State {
        /// The position of the client after `output`; nil to begin with all records.
        var position: ChangePosition?
        var wake: @Sendable () -> Void = {}
        /// The rest of the blocks that are being sent.
        var output: ArraySlice<UInt8> = [UInt8]("retry: 3000\n\n".utf8)[...]
        /// Whether it must read pages.
        var isBehind = true
        var isReading = false
        /// Whether live changes were dropped since the page before the last one.
        var hasLost = true
        /// Whether the client has everything that there was at the beginning.
        var isReady = false
        var batches: [Batch] = []
        /// When the client's token is checked, and when a position is due without changes, in ms of
        /// the monotonic clock.
        var nextCheck: Int64
        var nextBeat: Int64
        /// Whether it ends after `output`.
        var isAtEnd = false
        var end = StreamEnd.client
        var isAdded = false
        var isOpen = false
        var isClosed = false
        /// The number of records in the next page.
        var pageLimit = 10

        /// Drops the live changes that wait, so that pages are read instead.
        mutating func lose() {
            batches = []
            (isBehind, hasLost) = (true, true)
        }
    }

    /// The size of waiting live changes beyond which they are dropped, in bytes.
    private static let mostWaiting = 16 * 1024
    /// The size of a page that a client may not read, in bytes, and the most records in it.
    private static let (pageBytes, mostRecords) = (6 * 1024, 100)
    /// The pause after the storage has failed, in ms.
    private static let retryMilliseconds: Int64 = 1000

    private let changes: any ChangeStore
    private let live: any LiveChanges
    private let group: ChangeGroup
    /// The digits of the filter in cursors.
    private let digits: String
    /// Its place among the open streams; nil if it is not opened.
    private let place: StreamPlace?
    private let beatMilliseconds: Int64
    private let milliseconds: @Sendable () -> Int64
    /// Returns why the client may no longer see what the filter shows, if so; nil if the filter is
    /// public.
    private let reasonToEnd: (@Sendable () async -> StreamEnd?)?
    private let state: Mutex<State>

    /// Creates the body for a client at a position; nil to begin with all records.
    ///
    /// `milliseconds` is a monotonic clock.
    init(
        _ changes: any ChangeStore,
        _ live: any LiveChanges,
        _ group: ChangeGroup,
        digits: String,
        _ position: ChangePosition?,
        place: StreamPlace?,
        heartbeatSeconds: Int,
        milliseconds: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds,
        reasonToEnd: (@Sendable () async -> StreamEnd?)?
    ) {
        self.changes = changes
        self.live = live
        self.group = group
        self.digits = digits
        self.place = place
        beatMilliseconds = Int64(heartbeatSeconds) * 1000
        self.milliseconds = milliseconds
        self.reasonToEnd = reasonToEnd
        let now = milliseconds()
        state = Mutex(
            State(
                position: position,
                nextCheck: reasonToEnd == nil ? .max : now + beatMilliseconds,
                nextBeat: now + beatMilliseconds
            )
        )
    }

    // MARK: - The body

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { ($0.wake, $0.isOpen) = (wake, true) }
        place?.setReplacement { [weak self] in
            self?.end(.replaced)
        }
    }

    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress {
        let now = milliseconds()
        // Before the look at the changes that wait: it has all up to this number then.
        let number = live.number
        let (progress, work) = state.withLock { state in
            step(&state, into: &output, now, isStopping: isStopping, upTo: number)
        }
        switch work {
        case .none: break
        case .read: live.perform { await self.read() }
        case .check: live.perform { await self.check() }
        }
        return progress
    }

    func close() {
        // First, so that a reader that is being added is removed again.
        let (wasOpen, end) = state.withLock { state in
            state.isClosed = true
            state.wake = {}
            (state.batches, state.output) = ([], [])
            return (state.isOpen, state.end)
        }
        live.remove(self)
        if wasOpen { place?.note(end) }
    }

    /// The work beside the event loop that a step needs.
    private enum Work { case none, read, check }

    private func step(
        _ state: inout State,
        into output: inout [UInt8],
        _ now: Int64,
        isStopping: Bool,
        upTo number: Int64?
    ) -> (BodyProgress, Work) {
        while output.count < BodyProgress.pieceBytes {
            if !state.output.isEmpty {
                let piece = state.output.prefix(BodyProgress.pieceBytes - output.count)
                output += piece
                state.output = state.output.dropFirst(piece.count)
                state.nextBeat = now + beatMilliseconds
            } else if state.isAtEnd {
                return (.end, .none)
            } else if isStopping {
                state.output = [UInt8]("retry: \(Int.random(in: 1000...10_000))\n\n".utf8)[...]
                (state.isAtEnd, state.end) = (true, .shutdown)
            } else if state.isBehind {
                if state.isReading { break }
                state.isReading = true
                return (pause(state, now), .read)
            } else if !state.batches.isEmpty {
                let batch = state.batches.removeFirst()
                place?.note(.sent)
                state.output = batch.bytes[...]
                state.position?.number = batch.number
            } else {
                break
            }
        }
        if output.count >= BodyProgress.pieceBytes { return (.more, .none) }
        if now >= state.nextBeat {
            state.nextBeat = now + beatMilliseconds
            if !state.isBehind, let number, let known = state.position?.number {
                state.position?.number = max(number, known)
            }
            if let position = state.position {
                output += ServerSentEvents.position(text(of: position))
            }
        }
        if now < state.nextCheck { return (pause(state, now), .none) }
        state.nextCheck = now + beatMilliseconds
        return (pause(state, now), .check)
    }

    private func pause(_ state: State, _ now: Int64) -> BodyProgress {
        .wait(milliseconds: Int(max(0, min(state.nextBeat, state.nextCheck) - now)))
    }

    private func text(of position: ChangePosition) -> String {
        ChangeCursor.text(of: position, digits: digits)
    }

    // MARK: - Changes

    func receive(_ changes: [UInt8], after start: Int64, upTo number: Int64) {
        var isDue = false
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            if state.isClosed || state.hasLost { return nil }
            if !state.isBehind, let known = state.position?.number, known > start {
                // The page that was read last has some of the changes, or all of them.
                if known >= number { return nil }
                state.lose()
                return state.wake
            }
            isDue = true
            let waiting = state.batches.reduce(0) { $0 + $1.bytes.count }
            if waiting > 0, waiting + changes.count > Self.mostWaiting {
                state.lose()
                return nil
            }
            state.batches.append(Batch(bytes: changes, start: start, number: number))
            return state.isBehind ? nil : state.wake
        }
        if isDue { place?.note(.due) }
        wake?()
    }

    func lose() {
        let wake = state.withLock { state in
            state.lose()
            return state.wake
        }
        wake()
    }

    /// Reads the next page beside the event loop.
    private func read() async {
        do {
            try await follow()
            let position = state.withLock { $0.position }
            if let position, let page = try await page(after: position) {
                finish(page, hasReset: false)
            } else if let reason = await reasonToEnd?() {
                end(reason)
            } else if let page = try await page(after: nil) {
                finish(page, hasReset: true)
            }
        } catch {
            try? await Task.sleep(for: .milliseconds(Self.retryMilliseconds))
        }
        let wake = state.withLock { state in
            state.isReading = false
            return state.wake
        }
        wake()
    }

    /// Receives all live changes from now on.
    private func follow() async throws {
        let mustAdd = state.withLock { state in
            state.hasLost = false
            return !state.isAdded
        }
        guard mustAdd else { return }
        try await live.add(self, to: group)
        let isClosed = state.withLock { state in
            state.isAdded = true
            return state.isClosed
        }
        if isClosed { live.remove(self) }
    }

    /// Returns the next page; nil if the position can't be continued.
    private func page(after position: ChangePosition?) async throws -> ChangePage? {
        let limit = state.withLock { $0.pageLimit }
        do {
            return try await changes.page(group.filter, after: position, limit: limit)
        } catch let reason as NewStart {
            place?.note(reason)
            return nil
        }
    }

    /// Sends a page, and continues with live changes if there are no others.
    private func finish(_ page: ChangePage, hasReset: Bool) {
        var blocks: [UInt8] = []
        if hasReset {
            var beginning = page.position
            beginning.snapshot = .init(part: 1, ids: [0])
            blocks = ServerSentEvents.cursor("reset", text(of: beginning))
        }
        let records = group.render(page.changes)
        // A client that doesn't read would keep the unused part of a larger buffer.
        blocks.reserveCapacity(blocks.count + records.count + 100)
        blocks += records
        state.withLock { state in
            if state.isAtEnd || state.isClosed { return }
            state.position = page.position
            if !page.changes.isEmpty {
                let average = max(records.count / page.changes.count, 1)
                state.pageLimit = min(max(Self.pageBytes / average, 1), Self.mostRecords)
            }
            if hasReset { state.isReady = false }
            let end = page.position.number
            state.batches.removeAll { $0.number <= end }
            // Otherwise, the next page has them.
            if !page.hasMore, !state.hasLost, !state.batches.contains(where: { $0.start < end }) {
                state.isBehind = false
                if !state.isReady {
                    blocks += ServerSentEvents.cursor("ready", text(of: page.position))
                }
                state.isReady = true
            }
            if state.output.isEmpty { state.output = blocks[...] } else { state.output += blocks }
        }
    }

    // MARK: - The end

    /// Ends the stream if the client's token has ended, or is another user's.
    private func check() async {
        if let reason = await reasonToEnd?() { end(reason) }
    }

    /// Ends the stream, and sends why if the client should not continue.
    private func end(_ end: StreamEnd) {
        let wake = state.withLock { state in
            if state.isAtEnd { return state.wake }
            switch end {
            case .unauthorized: state.output += ServerSentEvents.end("Unauthorized")
            case .replaced: state.output += ServerSentEvents.end("Replaced by a newer stream")
            case .merged, .client, .shutdown: break
            }
            (state.isAtEnd, state.end) = (true, end)
            return state.wake
        }
        wake()
    }
}
