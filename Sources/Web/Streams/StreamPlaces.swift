import HTTP
import Rules
import System

/// The places of open streams and waiting requests.
final class StreamPlaces: Sendable {
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
    private let state = Mutex(State())

    init(_ limits: StreamLimits) {
        self.limits = limits
    }

    /// The number of open streams and waiting requests.
    var count: Int { state.withLock { $0.count } }

    /// Takes a place, and ends the oldest of the token's streams if these are too many.
    ///
    /// `token` is nil for waiting requests, and for streams without a token. Throws
    /// `RequestError.tooManyStreams`.
    func take(for address: IPAddress?, token: [UInt8]? = nil) throws(RequestError) -> StreamPlace {
        let (id, replace) = state.withLock { state -> (UInt64?, (@Sendable () -> Void)?) in
            let ofAddress = address.flatMap { state.countOfAddress[$0] } ?? 0
            guard state.count < limits.all, ofAddress < limits.address else { return (nil, nil) }
            state.count += 1
            if let address { state.countOfAddress[address] = ofAddress + 1 }
            state.nextID += 1
            guard let token else { return (state.nextID, nil) }
            var streams = state.streamsOfToken[token] ?? []
            let oldest = streams.count < limits.token ? nil : streams.removeFirst()
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
        state.withLock { state in
            let index = state.streamsOfToken[token]?.firstIndex { $0.id == place.id }
            if let index { state.streamsOfToken[token]?[index].replace = replace }
        }
    }

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

    /// Sets what ends the stream when a newer one of the same token needs its place.
    func setReplacement(_ replace: @escaping @Sendable () -> Void) {
        places.set(replace, of: self)
    }
}
