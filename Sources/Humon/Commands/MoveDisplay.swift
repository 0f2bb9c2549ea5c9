import Formats
import Operations

/// The progress of a move on a terminal.
final class MoveDisplay {
    private var bar = ProgressBar(total: nil, noun: Noun("row"))
    private var total: Int?

    /// Shows a stage, and how far it is.
    func show(_ stage: MoveStage) {
        switch stage {
        case .copying(let rows, let total):
            update(rows, of: total)
        case .comparing(let rows, let total):
            bar.show("Comparing \(rows) of \(total) rows ...")
        case .closing:
            bar.show("Closing the source for writes ...")
        }
    }

    /// Clears the bar.
    func finish() {
        bar.finish()
    }

    private func update(_ rows: Int, of total: Int) {
        if self.total != total {
            self.total = total
            bar = ProgressBar(total: total, noun: Noun("row"))
        }
        bar.update(done: rows, count: rows)
    }
}
