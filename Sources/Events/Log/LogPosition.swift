/// A position in a log of changes.
package struct LogPosition: Equatable, Sendable {
    /// Identifies the log.
    ///
    /// Numbers of different logs can't be compared.
    package let log: String
    /// The number of the latest change.
    package let number: Int64
    /// The number of the last change that was deleted from the log.
    package let floor: Int64

    /// Creates a position.
    package init(log: String, number: Int64, floor: Int64) {
        (self.log, self.number, self.floor) = (log, number, floor)
    }

    /// Returns whether this position is at least as late as another one of the same log.
    package func includes(_ other: LogPosition) -> Bool {
        log == other.log && other.number <= number
    }

    /// Returns whether this is at least as late, and the log has all changes since the other one.
    package func follows(_ other: LogPosition) -> Bool {
        includes(other) && floor <= other.number
    }

    /// Returns a new identity of a log.
    package static func newIdentity() -> String {
        String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
    }

    /// Returns whether the log has lost its latest numbers since another position, so that they
    /// may be used again.
    ///
    /// The newest change is never pruned.
    package func hasLostNumbers(since other: LogPosition?) -> Bool {
        number < floor || other.map { log == $0.log && number < $0.number } == true
    }
}
