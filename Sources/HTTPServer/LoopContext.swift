import CLinux
import HTTP
import System
import Time

/// The state that the connections of one event loop share: clock, buffers, and whether it drains.
///
/// Each task that waits for its turn is resumed once. A buffer is only valid until the running task
/// suspends, or in the inbox until the next batch, so an idle connection has none.
@safe final class LoopContext {
    /// The largest output buffer that is kept for reuse.
    private static let outputBytesKept = 256 * 1024

    /// The bytes of responses after which lists wait for the loop's next batch: about a ms of work.
    private static let bytesInTurn = 256 * 1024
    /// The interval at which a list that waits for memory looks for it, in ms.
    private static let roomMilliseconds: Int64 = 10

    /// The minimum size of a body that counts as held memory, in bytes.
    private static let largeBytes = 256 * 1024
    /// The number of held bytes that makes it worthwhile to return memory to the system.
    private static let worthwhileBytes = 16 * 1024 * 1024

    /// The bytes that were received.
    var inbox = Inbox()
    var output: [UInt8] = []
    /// The current piece of a stream.
    private(set) var piece: [UInt8] = []
    /// The open streams.
    let streams: OpenStreams
    /// The time at which a draining loop closes idle connections, in ms of its clock.
    ///
    /// Nil while it does not drain.
    var drainDeadline: Int64?
    /// The channels of unsent responses, by their number in the budget.
    var waitingResponses: [UInt64: Channel] = [:]
    /// The bytes of the responses of this batch that are not lists.
    private var bytesMade = 0
    /// The bytes of the lists of this batch, and the bytes expected of those being written.
    private var listBytes = 0
    /// The long lists that have begun and are not made, and the bytes that are reserved for them.
    private var listsUnderWay = 0
    private var reservedBytes = 0
    /// The bytes expected of a list, for its share of a batch; its memory is another matter.
    private var expectedBytes = bytesInTurn
    /// Whether the first waiting list waits for memory, and not only for the next batch.
    private var lacksRoom = false
    /// The bytes that were held since memory was last returned, now and at the last check.
    private var heldBytes = 0
    private var heldBytesBefore = 0
    /// The requests for lists that wait for their turn.
    ///
    /// There is at most one for each connection. Short lists don't wait for long ones.
    private var shortLists = WaitingLists()
    private var longLists = WaitingLists()
    /// The lists among those under way that were resumed and have not run since.
    private var resumedLists = 0
    /// Counts the lists that pause.
    private let watched: WatchedDescriptors
    private let responses: ResponseBudget
    private let listMilliseconds: Int64
    /// The responses that the loop sends together.
    var outbox: Outbox
    /// Whether a response goes to the outbox, because the loop has several jobs to run.
    var sendsTogether = false
    /// The number of clients that wait for their rejection.
    var heldCount = 0
    /// Whether accepting pauses, until the system may have capacity for another connection.
    var isAcceptingAtRest = false
    /// A monotonic time in ms, from the start of the batch.
    private(set) var now: Int64 = 0
    /// The time of day in the form of a `Date` field (RFC 9110 section 6.6.1).
    private(set) var date: [UInt8] = []
    private var dateSecond = Int64.min

    var isDraining: Bool { drainDeadline != nil }

    init(
        executor: LoopExecutor,
        watched: WatchedDescriptors,
        responses: ResponseBudget,
        limits: Limits
    ) {
        self.watched = watched
        outbox = Outbox(delayMilliseconds: limits.sendMilliseconds)
        self.responses = responses
        listMilliseconds = Int64(limits.listMilliseconds)
        streams = OpenStreams(executor: executor)
        updateClock()
    }

    /// Reads the clocks; once a batch is precise enough for timeouts in seconds.
    func updateClock() {
        now = MonotonicClock.recentMilliseconds()
        let time = Timestamp.recent()
        let second = time.milliseconds / 1000
        if second != dateSecond {
            dateSecond = second
            date = HTTPDate.bytes(time)
        }
    }

    // MARK: Lists

    /// A task that waits to make a list.
    @safe private struct WaitingList {
        let task: UnsafeContinuation<Bool, Never>
        /// The size of a short list at most, in bytes; nil for a long one.
        let shortBytes: Int?
        /// The time at which its client gets an error, in ms of the loop's clock.
        let deadline: Int64
    }

    /// Lists that wait, the oldest first.
    private struct WaitingLists {
        private var lists: [WaitingList] = []
        private var next = 0

        var first: WaitingList? { lists.indices.contains(next) ? lists[next] : nil }

        mutating func append(_ list: WaitingList) {
            lists.append(list)
        }

        mutating func removeFirst() {
            next += 1
            if next < lists.count { return }
            lists.removeAll(keepingCapacity: true)
            next = 0
        }
    }

    private var hasWaitingLists: Bool { shortLists.first != nil || longLists.first != nil }

    /// The time after which a waiting list may be resumed, in ms; `.max` if none waits.
    var listMillisecondsLeft: Int64 {
        guard hasWaitingLists else { return .max }
        return lacksRoom ? Self.roomMilliseconds : 0
    }

    /// Waits until a list has its turn and memory.
    ///
    /// Small requests therefore don't wait for it. Throws `RequestWithoutRoom` if it takes too
    /// long. `size` is the size of the list at most, in bytes.
    func takeTurn(_ request: Request, of channel: Channel, size: Int) async throws {
        let shortBytes = size <= ResponseBudget.shortBytes ? size : nil
        let isFirst = (shortBytes == nil ? longLists : shortLists).first == nil
        if isFirst, bytesMade < Self.bytesInTurn, beginList(shortBytes) { return }
        let deadline = now + listMilliseconds
        let hasBegun = await unsafe withUnsafeContinuation { task in
            let list = unsafe WaitingList(task: task, shortBytes: shortBytes, deadline: deadline)
            if shortBytes == nil { longLists.append(list) } else { shortLists.append(list) }
        }
        if hasBegun, shortBytes == nil { resumedLists -= 1 }
        // The clients of a thousand waiting lists may be gone by now.
        if Socket.isBroken(channel.descriptor) {
            if hasBegun { responses.release(endList(shortBytes, made: 0)) }
            throw ResponseSender.Disconnected()
        }
        if hasBegun { return }
        var known = request
        known.body = []
        throw RequestWithoutRoom(
            message: "The server has no memory left for this list. Try again in a moment.",
            request: known
        )
    }

    /// Resumes the requests that have waited longest, as far as the batch and the memory allow.
    ///
    /// However much the small requests took, lists have their full part of the batch. Returns
    /// whether it resumed any.
    func resumeWaitingLists() -> Bool {
        let didResume = resume(&shortLists)
        let shortListsLackRoom = lacksRoom
        let didResumeLong = resume(&longLists)
        if shortLists.first != nil { lacksRoom = shortListsLackRoom }
        return didResume || didResumeLong
    }

    private func resume(_ lists: inout WaitingLists) -> Bool {
        var didResume = false
        while let list = lists.first {
            let hasBegun = now < list.deadline && beginList(list.shortBytes)
            guard hasBegun || now >= list.deadline else { break }
            lists.removeFirst()
            if hasBegun, list.shortBytes == nil { resumedLists += 1 }
            unsafe list.task.resume(returning: hasBegun)
            didResume = true
        }
        return didResume
    }

    /// Begins to count the responses of a new batch.
    func beginBatch() {
        bytesMade = 0
        // A list that is made in pieces continues in this batch.
        listBytes = watched.pausedCount * expectedBytes
    }

    /// Begins a list if the batch and the memory allow it.
    private func beginList(_ shortBytes: Int?) -> Bool {
        lacksRoom = false
        guard listBytes < Self.bytesInTurn else { return false }
        if shortBytes == nil, listsUnderWay > 0 { lowerReservations() }
        guard let reserved = responses.reserve(shortBytes, now: now) else {
            lacksRoom = true
            return false
        }
        listBytes += expectedBytes
        if shortBytes == nil {
            listsUnderWay += 1
            reservedBytes += reserved
        }
        return true
    }

    /// Ends a list, and returns the bytes that are reserved for it.
    private func endList(_ shortBytes: Int?, made bytes: Int) -> Int {
        listBytes = max(0, listBytes - expectedBytes) + bytes
        if let shortBytes { return shortBytes }
        let reserved = reservedBytes / max(1, listsUnderWay)
        listsUnderWay -= 1
        reservedBytes -= reserved
        return reserved
    }

    /// Returns most of the memory that is reserved for lists that wait for a database or a search.
    ///
    /// These are the lists under way that neither pause nor are about to run. They need their
    /// memory one after the other.
    private func lowerReservations() {
        let writingCount = min(listsUnderWay, watched.pausedCount + resumedLists)
        reservedBytes = responses.reserve(
            insteadOf: reservedBytes,
            lists: writingCount,
            waitingLists: listsUnderWay - writingCount
        )
    }

    // MARK: Memory

    /// Counts the size of a response, whose memory will be freed, and ends the turn of a list.
    ///
    /// `listSize` is that of `takeTurn`, nil if it is no list. Returns the bytes that stay reserved
    /// for a list until its client has it.
    func note(made body: [UInt8], listSize: Int?) -> Int {
        let bytes = body.count
        if bytes >= Self.largeBytes { note(held: bytes) }
        guard let listSize else {
            bytesMade += bytes
            return 0
        }
        expectedBytes = max(bytes, 1024, expectedBytes - expectedBytes / 64)
        guard listSize > ResponseBudget.shortBytes else {
            return responses.settle(endList(listSize, made: bytes), made: bytes, in: 0)
        }
        return responses.settle(endList(nil, made: bytes), made: bytes, in: body.capacity)
    }

    /// Counts memory that was held while a request or a response waited, and is freed.
    func note(held bytes: Int) {
        heldBytes += bytes
    }

    /// Returns memory to the system after much of it was held.
    ///
    /// Must be called at regular intervals. When it returns memory, it can take some ms. The C
    /// library keeps free memory between buffers that are in use (malloc_trim(3)).
    func returnMemory() {
        defer { heldBytesBefore = heldBytes }
        guard heldBytes >= Self.worthwhileBytes, heldBytes == heldBytesBefore else { return }
        heldBytes = 0
        malloc_trim(0)
    }

    /// Writes the next piece of a stream to `piece`.
    func makePiece(of stream: any BodyStream) -> BodyProgress {
        piece.removeAll(keepingCapacity: piece.capacity <= 2 * BodyProgress.pieceBytes)
        piece.reserveCapacity(BodyProgress.pieceBytes)
        return stream.next(into: &piece, isStopping: isDraining)
    }

    /// Empties the output buffer.
    func emptyOutput() {
        output.removeAll(keepingCapacity: output.capacity <= Self.outputBytesKept)
    }
}
