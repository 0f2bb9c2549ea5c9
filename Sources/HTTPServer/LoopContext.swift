import CLinux
import HTTP
import Time

/// What the connections of one event loop share: its clock, its buffers, and whether it drains.
///
/// Each task that waits for its turn is resumed once.
///
/// The buffers belong to whoever runs, until it next suspends: an idle connection holds none.
@safe final class LoopContext {
    /// Bytes taken from a socket by one call.
    static let readBytes = 64 * 1024
    /// An output buffer that grew past this is given back.
    private static let outputBytesKept = 256 * 1024

    /// Bytes of responses after which lists wait for the loop's next batch: about a ms of work.
    private static let bytesInTurn = 256 * 1024

    /// A body from this size on takes much memory, in bytes.
    private static let largeBytes = 256 * 1024
    /// So many bytes that were held make it worthwhile to give memory back.
    private static let worthwhileBytes = 16 * 1024 * 1024

    var readBuffer = [UInt8](repeating: 0, count: readBytes)
    var output: [UInt8] = []
    /// The piece of a stream that is being made.
    private(set) var piece: [UInt8] = []
    /// The streams that are open.
    let streams: OpenStreams
    /// When a loop that drains closes connections without a request, in ms of its clock; nil while
    /// it does not drain.
    var drainDeadline: Int64?
    /// The channels of responses that wait for their clients, by the budget's number.
    var waitingResponses: [UInt64: Channel] = [:]
    /// Bytes of the responses that were made in this batch.
    var bytesMade = 0
    /// Bytes that were held since memory was last given back, and how many they were at the last
    /// look.
    private var heldBytes = 0
    private var heldBytesBefore = 0
    /// The tasks of requests for lists that wait for their turn, from `nextList` on; at most one
    /// for each connection.
    private var waitingLists: [UnsafeContinuation<Void, Never>] = unsafe []
    private var nextList = 0
    /// The connections that are kept waiting before they are refused.
    var heldCount = 0
    /// Whether accepting rests, until the system may have room for another connection.
    var isAcceptingAtRest = false
    /// A monotonic time in ms, as of the beginning of the batch.
    private(set) var now: Int64 = 0
    /// The time of day as a `Date` field has it (RFC 9110 section 6.6.1).
    private(set) var date: [UInt8] = []
    private var dateSecond = Int64.min

    var isDraining: Bool { drainDeadline != nil }

    init(executor: LoopExecutor) {
        streams = OpenStreams(executor: executor)
        updateClock()
    }

    /// Reads the clocks; once a batch is enough for timeouts in seconds.
    func updateClock() {
        now = MonotonicClock.recentMilliseconds()
        let time = Timestamp.recent()
        let second = time.milliseconds / 1000
        if second != dateSecond {
            dateSecond = second
            date = HTTPDate.bytes(time)
        }
    }

    /// Whether requests for lists wait for their turn.
    var hasWaitingLists: Bool { unsafe nextList < waitingLists.count }

    /// Whether a request for a list has to wait for its turn.
    var mustWaitForTurn: Bool { bytesMade >= Self.bytesInTurn || hasWaitingLists }

    /// Suspends a request for a list until it is its turn, so that the small requests of others do
    /// not wait for as many lists as are requested at one time.
    func waitForTurn(isolation: isolated (any Actor)? = #isolation) async {
        await unsafe withUnsafeContinuation { continuation in
            unsafe waitingLists.append(continuation)
        }
    }

    /// Gives the lists that wait their part of the batch, however much the small requests took.
    func beginLists() {
        bytesMade = 0
    }

    /// Resumes the request that waits longest for its turn, if the batch has room for another list;
    /// returns whether it did.
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

    /// Notes a response that was made, whose memory will be free again.
    func note(made bytes: Int) {
        bytesMade += bytes
        if bytes >= Self.largeBytes { note(held: bytes) }
    }

    /// Notes memory that was held while a request or a response waited, and is free again.
    func note(held bytes: Int) {
        heldBytes += bytes
    }

    /// Gives memory back to the system when much of it was held and no more is; has to be called at
    /// even intervals, and may take some ms where it does.
    ///
    /// The C library keeps what is free between buffers that are in use (malloc_trim(3)).
    func returnMemory() {
        defer { heldBytesBefore = heldBytes }
        guard heldBytes >= Self.worthwhileBytes, heldBytes == heldBytesBefore else { return }
        heldBytes = 0
        malloc_trim(0)
    }

    /// Makes the next piece of a stream, in `piece`.
    func makePiece(of stream: any BodyStream) -> BodyProgress {
        piece.removeAll(keepingCapacity: piece.capacity <= 2 * BodyProgress.pieceBytes)
        piece.reserveCapacity(BodyProgress.pieceBytes)
        return stream.next(into: &piece, isStopping: isDraining)
    }

    /// The output buffer, empty.
    func emptyOutput() {
        output.removeAll(keepingCapacity: output.capacity <= Self.outputBytesKept)
    }
}
