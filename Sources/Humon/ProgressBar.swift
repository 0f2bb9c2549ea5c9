package import Formats
import Operations

/// A progress bar for long commands, which is only shown on a terminal.
package struct ProgressBar {
    private let terminal: Terminal
    private let total: Int?
    private let isVisible: Bool
    private let noun: Noun
    /// The last text, so that only changes are drawn.
    private var drawn = ""

    /// Creates a bar that is full at `total`; without a total, it only shows the number of records.
    ///
    /// `noun` is the name of the records.
    package init(total: Int?, noun: Noun = Noun("record"), terminal: Terminal = .error) {
        self.noun = noun
        self.terminal = terminal
        self.total = total
        isVisible = terminal.isInteractive
    }

    /// Updates the bar; `count` is the number of records so far.
    package mutating func update(done: Int, count: Int) {
        guard isVisible else { return }
        show(Self.text(done: done, total: total, count: noun.counted(count)))
    }

    /// Shows a text instead of the bar.
    package mutating func show(_ text: String) {
        guard isVisible, text != drawn else { return }
        drawn = text
        // Moves to the start of the line, writes the text, and clears the rest.
        terminal.write("\r\(text)\u{1B}[K")
    }

    /// Clears the bar, so that a summary can replace it.
    package mutating func finish() {
        guard isVisible else { return }
        terminal.write("\r\u{1B}[K")
        drawn = ""
    }

    /// Returns the bar as text, such as `[##########----------]  50 %  1200 events`.
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

extension ProgressBar: ImportDisplay {
    mutating func begin(totalBytes: Int?) {
        self = ProgressBar(total: totalBytes, noun: noun, terminal: terminal)
    }

    mutating func show(message: String) {
        finish()
        terminal.write(message + "\n")
    }
}
