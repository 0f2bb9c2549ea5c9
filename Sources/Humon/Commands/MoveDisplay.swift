import Formats
import Model
import Operations
import System

/// A move with its progress on a terminal, which SIGINT and SIGTERM stop.
enum MoveDisplay {
    /// Runs a move; blocks until that is done.
    ///
    /// - Parameters:
    ///   - name: The name of the command, which runs the move.
    ///   - source: The database with the records.
    ///   - target: The database that gets them.
    ///   - advice: What is written to standard error after a signal, as a sentence.
    ///   - work: The part of the move that is run.
    ///   - completion: Called with the tables.
    /// - Returns: The exit code.
    /// - Throws: The errors of the move.
    static func run(
        _ name: String,
        from source: any StorageEngine,
        to target: any StorageEngine,
        ifStopped advice: String,
        _ work: (Move) throws -> [MovedTable],
        completion: ([MovedTable]) -> Void
    ) throws -> ExitCode {
        let cancellation = Cancellation()
        let interruption = try Interruption { cancellation.cancel() }
        var bar = ProgressBar(total: nil)
        let move = Move(from: source, to: target, cancellation) { bar.show(text(of: $0)) }
        let tables: [MovedTable]
        do {
            tables = try work(move)
        } catch {
            bar.finish()
            guard error is CancellationError, let signal = interruption.signal else { throw error }
            Terminal.error.write(
                "humon: The \(name) was stopped by \(signal.rawValue). \(advice)\n"
            )
            return signal.exitCode
        }
        bar.finish()
        completion(tables)
        return .success
    }

    private static func text(of stage: CopyStage) -> String {
        switch stage {
        case .copying(let rows, let total):
            ProgressBar.text(done: rows, total: total, count: Noun("row").counted(rows))
        case .verifying(let rows, let total): "Comparing \(rows) of \(total) rows ..."
        case .closing: "Closing the source for writes ..."
        }
    }
}
