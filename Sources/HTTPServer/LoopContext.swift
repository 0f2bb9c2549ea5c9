import CLinux
import HTTP
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
    /// The bytes of the responses of this batch.
    var bytesMade = 0
    /// The bytes that were held since memory was last returned, now and at the last check.
    private var heldBytes = 0
    private var heldBytesBefore = 0
    /// The tasks of requests for lists that wait for their turn, from `nextList` on.
    ///
    /// There is at most one for each connection.
    private var waitingLists: [UnsafeContinuation<Void, Never>] = unsafe []
    private var nextList = 0
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

    init(executor: LoopExecutor, sendMilliseconds: Int) {
        outbox = Outbox(delayMilliseconds: sendMilliseconds)
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

    /// Whether requests for lists are waiting for their turn.
    var hasWaitingLists: Bool { unsafe nextList < waitingLists.count }

    /// Whether a request for a list must wait for its turn.
    var mustWaitForTurn: Bool { bytesMade >= Self.bytesInTurn || hasWaitingLists }

    /// Suspends a request for a list until its turn, so that small requests don't wait.
    func waitForTurn() async {
        await unsafe withUnsafeContinuation { continuation in
            unsafe waitingLists.append(continuation)
        }
    }

    /// Gives waiting lists their full part of the batch, however much the small requests took.
    func beginLists() {
        bytesMade = 0
    }

    /// Resumes the request that has waited longest, if the batch has room for another list.
    ///
    /// Returns whether it did.
    func resumeWaitingList() -> Bool {
        guard hasWaitingLists, bytesMade < Self.bytesInTurn else { return false }
        let list = unsafe waitingLists[nextList]
        nextList += 1
        if !hasWaitingLists {
            unsafe waitingLists.removeAll(keepingCapacity: true)
            nextList = 0
        }
        unsafe list.resume()
        return true
    }

    /// Counts the size of a response, whose memory will be freed.
    func note(made bytes: Int) {
        bytesMade += bytes
        if bytes >= Self.largeBytes { note(held: bytes) }
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
