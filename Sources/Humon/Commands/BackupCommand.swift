import SQLite
import Time

/// `humon backup`: copies the database into one file while it is in use.
struct BackupCommand {
    let configuration: Configuration

    /// Blocks until the backup is complete; SIGINT and SIGTERM cancel it and remove the draft.
    func run(path: String) throws -> ExitCode {
        try Databases.file(of: configuration).check()
        let cancellation = Cancellation()
        let interruption = try Interruption { cancellation.cancel() }
        let begin = Timestamp.now()
        var bar = ProgressBar(total: 100, noun: Noun("page"))
        let report: OnlineBackup.Report
        do {
            let file = BackupFile(configuration, cancellation: cancellation)
            report = try file.write(to: path) { stage in
                switch stage {
                case .copying(let pages, let total):
                    bar.update(done: pages * 100 / max(1, total), count: pages)
                case .verifying:
                    bar.show("Copied. Verifying the copy ...")
                }
            }
        } catch {
            bar.finish()
            if let error = error as? UnrestorableDatabase {
                throw CommandError(
                    """
                    The backup was discarded, because it couldn't be restored. \(error.reason) \
                    "\(path)" is unchanged.
                    """
                )
            }
            guard error is CancellationError else { throw error }
            let signal = interruption.signal ?? .terminate
            Terminal.error.write(
                "humon: The backup was stopped by \(signal.rawValue); \"\(path)\" is unchanged.\n"
            )
            return signal.exitCode
        }
        bar.finish()
        let rows = Noun("row").counted(report.rows)
        let milliseconds = Timestamp.now().milliseconds - begin.milliseconds
        Terminal.error.write(
            """
            Backed up \(rows) to "\(path)", \(ByteCount.text(report.bytes)), in \
            \(milliseconds) ms, and verified them.

            """
        )
        return .success
    }

    /// Checks a backup as a restore would, without changing anything.
    ///
    /// - Throws: Why the backup can't be restored.
    func verify(path: String) throws {
        try BackupContent.checkIsWhole(path)
        var reader = try BackupReader(path: path)
        var bar = ProgressBar(total: reader.byteCount, noun: Noun("byte"))
        defer { bar.finish() }
        try reader.check { bytes in bar.update(done: bytes, count: bytes) }
        bar.show("Verifying the tables ...")
        var database = Databases.file(of: configuration)
        database.path = path
        let rows = try BackupContent.verify(database, .inspect, as: path, configuration)
        bar.finish()
        var text = "\"\(path)\" is valid and has \(Noun("row").counted(rows))"
        if case .seal(let seal) = reader.protection {
            text += ", and its digest matches; it was started at \(seal.began.text)"
        }
        Terminal.error.write(text + ".\n")
        if let warning = reader.warning { Terminal.error.write("Warning: \(warning)\n") }
    }
}
