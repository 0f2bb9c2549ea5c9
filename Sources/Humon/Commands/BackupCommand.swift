import Model
import SQLite
import Threads

/// `humon backup`: copies the database into one file, while others use it.
struct BackupCommand {
    let configuration: Configuration

    /// Blocks until the file is in its place; SIGINT and SIGTERM end it without a trace.
    func run(path: String) throws {
        let cancellation = Cancellation()
        let signals = TerminationSignals()
        try Thread {
            _ = signals.wait()
            cancellation.cancel()
        }.detach()
        let begin = Timestamp.now()
        var bar = ProgressBar(total: 100, noun: "pages")
        let report: OnlineBackup.Report
        do {
            let file = BackupFile(configuration, cancellation: cancellation)
            report = try file.write(to: path) { pages, total in
                bar.update(done: pages * 100 / max(1, total), count: pages)
            }
        } catch {
            bar.finish()
            guard error is CancellationError else { throw error }
            throw CommandError("The backup was stopped; \"\(path)\" is what it was.")
        }
        bar.finish()
        let milliseconds = Timestamp.now().milliseconds - begin.milliseconds
        Terminal.error.write(
            """
            Backed up \(report.rows) rows into "\(path)", \(ByteCount.text(report.bytes)), in \
            \(milliseconds) ms, and verified them.

            """
        )
    }
}
