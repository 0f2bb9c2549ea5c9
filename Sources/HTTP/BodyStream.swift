/// A response body that is made while it is sent.
///
/// All functions are called on the event loop of the connection, one at a time, and must return
/// quickly, because other connections wait for them.
package protocol BodyStream: AnyObject, Sendable {
    /// Begins the body; called once, before `next`, or never if no body is sent.
    ///
    /// - Parameter wake: Schedules a call of `next`. It may be called on any thread and as often as
    ///   needed; calls after the stream's end do nothing.
    func open(wake: @escaping @Sendable () -> Void)

    /// Appends the next bytes of the body.
    ///
    /// It is called again only after the socket has accepted all earlier bytes. It can be
    /// called earlier than the returned progress asks for, and may then append nothing.
    ///
    /// - Parameters:
    ///   - output: The buffer for the bytes. It is empty, and accepts `BodyProgress.pieceBytes`
    ///     bytes. A stream that appends more has failed.
    ///   - isStopping: Whether the server shuts down, so that the body should end soon.
    /// - Returns: The progress of the stream after these bytes.
    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress

    /// Releases the stream's resources; called once, last, however the stream ended.
    func close()
}

/// The progress of a streamed body after a piece.
package enum BodyProgress: Sendable, Equatable {
    /// The maximum size of a piece, in bytes.
    package static let pieceBytes = 16 * 1024

    /// The next piece can be made immediately.
    case more
    /// There is nothing to send until the stream is woken, or this time is over.
    case wait(milliseconds: Int)
    /// The body is complete.
    case end
    /// The stream can't continue.
    ///
    /// The connection is closed so that the client notices that the body is incomplete.
    case failed
}

/// The result of a streamed body.
package struct BodyStreamEnd: Sendable, Equatable {
    /// The bytes of the body that the socket accepted, without those of a piece that was not sent
    /// as a whole.
    package let bytes: Int
    /// Whether the client got all of the body; false if the client, a timeout, the shutdown or the
    /// stream itself ended it early.
    package let isComplete: Bool

    package init(bytes: Int, isComplete: Bool) {
        self.bytes = bytes
        self.isComplete = isComplete
    }
}
