package import Formats

/// How an import treats records.
package struct ImportOptions: Equatable, Sendable {
    /// Whether the import stops at the first record that can't be stored.
    ///
    /// The records before it are stored, and none after it.
    package var isStrict: Bool
    /// Whether the import stores nothing unless it can store every record.
    package var isAtomic: Bool
    package var defaults: EventDefaults

    package init(
        isStrict: Bool = false,
        isAtomic: Bool = false,
        defaults: EventDefaults = EventDefaults()
    ) {
        self.isStrict = isStrict
        self.isAtomic = isAtomic
        self.defaults = defaults
    }
}

/// The result of an import.
package struct ImportOutcome: Sendable {
    package var imported = 0
    package var failed = 0
    /// The number of the last record that was stored or rejected; nil before the first.
    package var lastNumber: Int?
    /// The error that stopped the import, as a sentence.
    package var obstacle: String?
    /// Whether the import was cancelled.
    package var isCancelled = false

    /// Whether everything in the file was stored.
    package var isComplete: Bool { failed == 0 && obstacle == nil && !isCancelled }
}

/// Shows the progress and the messages of an import.
package protocol ImportDisplay: Sendable {
    /// Begins to show the progress; the size of the file is nil if it is unknown.
    mutating func begin(totalBytes: Int?)
    /// Shows the bytes read and the number of records stored so far.
    mutating func update(done: Int, count: Int)
    /// Shows a message, which is a line without its newline.
    mutating func show(message: String)
    /// Ends the progress.
    mutating func finish()
}
