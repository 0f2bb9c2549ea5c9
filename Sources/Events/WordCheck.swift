package import Words

/// The decision that the list of blocked words makes about a new or changed event.
package struct WordCheck: Sendable {
    /// Why the event is hidden now; nil if it is not.
    package let hidden: HidingCause?
    /// The new note of the list's report; nil for none.
    package let note: String?
    /// Whether the event no longer has the words for which the list hid it.
    package let isCleared: Bool

    /// The maximum length of a note, in characters.
    private static let noteLength = 1000

    /// Checks an event.
    ///
    /// Words that the event had before don't hide it again, because an operator may have shown it.
    ///
    /// - Parameters:
    ///   - attributes: The event as it is stored now.
    ///   - former: The event before the change; nil if it is new.
    ///   - list: The list.
    package init(_ attributes: EventAttributes, replacing former: Event?, _ list: WordList) {
        let entries = Self.entries(attributes, list)
        isCleared = entries.isEmpty && former?.hidden == .words
        let known = former.map { Self.entries($0.attributes, list) } ?? []
        let noted =
            switch former?.hidden {
            case nil: entries.filter { !known.contains($0) }
            case .words where entries != known: entries
            default: [String]()
            }
        hidden = isCleared ? nil : noted.isEmpty ? former?.hidden : .words
        let text = noted.joined(separator: ", ").unicodeScalars.prefix(Self.noteLength)
        note = noted.isEmpty ? nil : String(text)
    }

    private static func entries(_ attributes: EventAttributes, _ list: WordList) -> [String] {
        if list.isEmpty { return [] }
        var entries: [String] = []
        for entry in attributes.texts.flatMap(list.matches) where !entries.contains(entry) {
            entries.append(entry)
        }
        return entries
    }
}
