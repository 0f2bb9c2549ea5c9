import HTTP
package import Logging
import Model
import Rules
import System
import Time

/// The places of open streams and waiting requests.
package final class StreamPlaces: Sendable {
    /// A stream of a token.
    private struct Owned {
        let id: UInt64
        /// Ends the stream.
        var replace: @Sendable () -> Void = {}
    }

    private struct State {
        var nextID: UInt64 = 0
        var count = 0
        var countOfAddress: [IPAddress: Int] = [:]
        /// The streams of each token, the oldest first.
        var streamsOfToken: [[UInt8]: [Owned]] = [:]
    }

    let limits: StreamLimits
    /// Returns the time of the first change that was not read for streams.
    private let oldestUnread: @Sendable () -> Timestamp?
    private let state = Mutex(State())
    private let ends = LabelledTotals(
        "humon_stream_ends_total",
        "Streams that ended, by reason.",
        "reason",
        StreamEnd.allCases.map(\.rawValue)
    )
    private let newStarts = LabelledTotals(
        "humon_feed_new_starts_total",
        "Requests and streams whose cursor could not be continued, by reason.",
        "reason",
        NewStart.allCases.map(\.rawValue)
    )
    private let blocks = LabelledTotals(
        "humon_stream_blocks_total",
        "Live changes for streams that had caught up, and those that were sent as such.",
        "result",
        LiveBlock.allCases.map(\.rawValue)
    )

    init(_ limits: StreamLimits, oldestUnread: @escaping @Sendable () -> Timestamp? = { nil }) {
        (self.limits, self.oldestUnread) = (limits, oldestUnread)
    }

    /// The number of open streams and waiting requests.
    var count: Int { state.withLock { $0.count } }

    /// Appends the measurements of streams and of the clients that follow changes.
    package func append(to text: inout MetricsText) {
        text.gauge("humon_streams", "Open streams and waiting requests.", count)
        ends.append(to: &text)
        blocks.append(to: &text)
        newStarts.append(to: &text)
        text.gauge(
            "humon_feed_lag_seconds",
            "Age of the first change that was not read for streams and waiting requests.",
            (oldestUnread().map { Timestamp.now().milliseconds - $0.milliseconds } ?? 0) / 1000
        )
    }

    /// Counts a client that must begin again.
    func note(_ reason: NewStart) { newStarts.note(reason.rawValue) }

    /// Takes a place, and ends the oldest of the token's streams if these are too many.
    ///
    /// `token` is nil for waiting requests, and for streams without a token. Throws
    /// `RequestError.tooManyStreams`.
    func take(for address: IPAddress?, token: [UInt8]? = nil) throws(RequestError) -> StreamPlace {
        let address = address?.client
        let (id, replace) = state.withLock { state -> (UInt64?, (@Sendable () -> Void)?) in
            let ofAddress = address.flatMap { state.countOfAddress[$0] } ?? 0
            var streams = token.flatMap { state.streamsOfToken[$0] } ?? []
            let hasTooMany = streams.count >= limits.token
            // The oldest stream of the token leaves its place.
            guard hasTooMany || state.count < limits.all && ofAddress < limits.address else {
                return (nil, nil)
            }
            state.count += 1
            if let address { state.countOfAddress[address] = ofAddress + 1 }
            state.nextID += 1
            guard let token else { return (state.nextID, nil) }
            let oldest = hasTooMany ? streams.removeFirst() : nil
            state.streamsOfToken[token] = streams + [Owned(id: state.nextID)]
            return (state.nextID, oldest?.replace)
        }
        guard let id else { throw .tooManyStreams }
        replace?()
        return StreamPlace(self, id, address, token)
    }

    /// Sets what ends a stream that a newer one of its token replaces.
    fileprivate func set(_ replace: @escaping @Sendable () -> Void, of place: StreamPlace) {
        guard let token = place.token else { return }
        let isReplaced = state.withLock { state in
            let index = state.streamsOfToken[token]?.firstIndex { $0.id == place.id }
            if let index { state.streamsOfToken[token]?[index].replace = replace }
            return index == nil
        }
        if isReplaced { replace() }
    }

    fileprivate func note(_ end: StreamEnd) { ends.note(end.rawValue) }

    fileprivate func note(_ block: LiveBlock) { blocks.note(block.rawValue) }

    fileprivate func release(_ place: borrowing StreamPlace) {
        let (id, address, token) = (place.id, place.address, place.token)
        state.withLock { state in
            state.count -= 1
            if let address, let count = state.countOfAddress[address] {
                state.countOfAddress[address] = count > 1 ? count - 1 : nil
            }
            guard let token else { return }
            state.streamsOfToken[token]?.removeAll { $0.id == id }
            if state.streamsOfToken[token]?.isEmpty == true { state.streamsOfToken[token] = nil }
        }
    }
}

/// The reason why a stream ends.
enum StreamEnd: String, CaseIterable {
    /// The client has closed the connection, or doesn't read.
    case client
    case shutdown
    case unauthorized
    /// The token is another user's after a merge, and its client begins again as that one.
    case merged
    /// A newer stream of the token has its place.
    case replaced
}

/// The fate of a live change of a stream.
enum LiveBlock: String, CaseIterable {
    /// It has reached the stream.
    case due
    /// It is being sent. Other changes that were due are read again, because the client was slow.
    case sent
}

/// The place of a stream, which is free again once the last reference is released.
final class StreamPlace: Sendable {
    fileprivate let id: UInt64
    fileprivate let address: IPAddress?
    fileprivate let token: [UInt8]?
    private let places: StreamPlaces

    fileprivate init(_ places: StreamPlaces, _ id: UInt64, _ address: IPAddress?, _ token: [UInt8]?)
    {
        (self.places, self.id, self.address, self.token) = (places, id, address, token)
    }

    deinit { places.release(self) }

    /// Counts the end of its stream.
    func note(_ end: StreamEnd) { places.note(end) }

    /// Counts a live change.
    func note(_ block: LiveBlock) { places.note(block) }

    /// Counts a client that must begin again.
    func note(_ reason: NewStart) { places.note(reason) }

    /// Sets what ends the stream when a newer one of the same token needs its place.
    func setReplacement(_ replace: @escaping @Sendable () -> Void) {
        places.set(replace, of: self)
    }
}
