package import Formats

/// How far a long command has come, on a terminal; elsewhere it stays silent.
package struct ProgressBar {
    private let terminal: Terminal
    private let total: Int?
    private let isVisible: Bool
    private let noun: Noun
    /// What was last drawn, so that it is drawn again only when it differs.
    private var drawn = ""

    /// A bar that is full at `total`; without a total it only counts.
    ///
    /// `noun` is what it counts.
    package init(total: Int?, noun: Noun = Noun("record"), terminal: Terminal = .error) {
        self.noun = noun
        self.terminal = terminal
        self.total = total
        isVisible = terminal.isInteractive
    }

    /// Draws the bar anew; `count` is the number of records so far.
    package mutating func update(done: Int, count: Int) {
        guard isVisible else { return }
        show(Self.text(done: done, total: total, count: noun.counted(count)))
    }

    /// Draws a text in the place of the bar.
    package mutating func show(_ text: String) {
        guard isVisible, text != drawn else { return }
        drawn = text
        // To the start of the line, the text, and nothing after it.
        terminal.write("\r\(text)\u{1B}[K")
    }

    /// Removes the bar, so that a summary can take its place.
    package mutating func finish() {
        guard isVisible else { return }
        terminal.write("\r\u{1B}[K")
        drawn = ""
    }

    /// The bar as text, such as `[##########----------]  50 %  1200 events`.
    package static func text(done: Int, total: Int?, count: String) -> String {
        guard let total, total > 0 else { return count }
        let part = min(max(Double(done) / Double(total), 0), 1)
        let filled = Int(part * 20)
        let percent = String(Int(part * 100))
        return "[" + String(repeating: "#", count: filled)
            + String(repeating: "-", count: 20 - filled) + "] "
            + String(repeating: " ", count: 3 - percent.count) + percent + " %  " + count
    }
}
