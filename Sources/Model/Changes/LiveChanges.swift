package import Time

/// The changes as they happen, for readers that have caught up with all earlier ones.
package protocol LiveChanges: AnyObject, Sendable {
    /// Runs the work of a reader beside the event loops, one piece after the other.
    func perform(_ work: @escaping @Sendable () async -> Void)

    /// The number of the last change that all readers have received; nil without readers.
    var number: Int64? { get }

    /// The time of the first change that was not read for the readers, or since when the log can't
    /// be read; nil if none is known.
    var oldestUnread: Timestamp? { get }

    /// Adds a reader of a group; later changes of its filter than the log has now reach it.
    ///
    /// The reader is retained until it is removed. Failures are as in `UserStore`.
    func add(_ reader: any ChangeReader, to group: ChangeGroup) async throws

    /// Removes a reader.
    func remove(_ reader: any ChangeReader)
}

/// The readers that get the same bytes, because they have the same filter and representation.
package struct ChangeGroup: Sendable {
    /// Distinguishes the group from those with other filters, users and representations.
    package let name: String
    package let filter: ChangeFilter
    /// Returns the representation of changes.
    package let render: @Sendable ([RecordChange]) -> [UInt8]

    package init(
        _ name: String,
        _ filter: ChangeFilter,
        render: @escaping @Sendable ([RecordChange]) -> [UInt8]
    ) {
        (self.name, self.filter, self.render) = (name, filter, render)
    }
}

/// A reader of live changes; its functions are called on any thread and must return at once.
package protocol ChangeReader: AnyObject, Sendable {
    /// Receives what has changed after a change, up to another one with this number.
    func receive(_ changes: [UInt8], after start: Int64, upTo number: Int64)

    /// Notes that changes can't be followed, so that the reader must ask the store for them.
    func lose()
}
