import Formats
import Model
import Operations
import Rules
import Settings
import System
import Time

/// `humon backup`: copies the database into one file while it is in use, or checks a copy.
struct BackupCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "backup",
        arguments: "FILE",
        summary: "Write a verified copy of the database to FILE.",
        options: [.init(name: "verify", meaning: "Only check FILE, an earlier backup.")]
    )

    let path: String
    /// Whether it only checks the file.
    let verifiesOnly: Bool

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let path = try arguments.file()
        let verifiesOnly = arguments.has("verify")
        guard path != "-" else {
            throw UsageError(
                verifiesOnly
                    ? "A backup can't be read from standard input. Name a file."
                    : "A backup can't be written to standard output. Name a file."
            )
        }
        return Self(path: path, verifiesOnly: verifiesOnly)
    }

    func run(in context: CommandContext) throws -> ExitCode {
        let configuration = try context.configuration()
        guard verifiesOnly else { return try make(configuration) }
        try verify(configuration)
        return .success
    }

    /// Blocks until the backup is complete; SIGINT and SIGTERM cancel it and remove the draft.
    private func make(_ configuration: Configuration) throws -> ExitCode {
        let engine = try Databases.engine(for: configuration)
        try engine.check()
        let isFile = configuration.postgresqlURL == nil
        let copier =
            isFile
            ? engine.makeCopier()
            : RecordCopier(from: engine) { path in
                try Databases.fileEngine(at: path, isDraft: true, configuration)
            }
        let files = try Databases.fileEngine(configuration).files
        let interruption = try Interruption { copier.cancel() }
        let begin = Timestamp.now()
        var bar = ProgressBar(total: 100, noun: Noun(isFile ? "page" : "row"))
        let report: CopyReport
        do {
            let file = BackupFile(of: engine, as: files, with: copier)
            report = try file.write(to: path) { stage in
                switch stage {
                case .copying(let pages, let total):
                    bar.update(done: pages * 100 / max(1, total), count: pages)
                case .verifying, .closing:
                    bar.show("Copied. Verifying the copy ...")
                }
            }
        } catch {
            bar.finish()
            if let error = error as? UnrestorableDatabase {
                throw OperatorError(
                    """
                    The backup was discarded, because it couldn't be restored. \
                    \(error.explanation) "\(path)" is unchanged.
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
        ReadOnlyNotice.show(of: engine, configuration)
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
    private func verify(_ configuration: Configuration) throws {
        let files = try Databases.fileEngine(configuration).files
        let (rows, protection, warning) = try Self.check(path, files)
        var text = "\"\(path)\" is valid and has \(Noun("row").counted(rows))"
        if case .seal(let seal) = protection {
            text += ", and its digest matches; it was started at \(seal.began.text)"
        }
        Terminal.error.write(text + ".\n")
        if let warning { Terminal.error.write("Warning: \(warning)\n") }
    }

    /// Reads a backup and verifies its tables; returns their rows, and what protects the content.
    static func check(
        _ path: String,
        _ files: any DatabaseFiles
    ) throws -> (rows: Int64, BackupReader.Protection, warning: String?) {
        try BackupReader.checkIsWhole(path, files)
        var reader = try BackupReader(path: path, files)
        var bar = ProgressBar(total: reader.byteCount, noun: Noun("byte"))
        defer { bar.finish() }
        try reader.check { bytes in bar.update(done: bytes, count: bytes) }
        bar.show("Verifying the tables ...")
        let rows = try files.verify(path, as: path, isReplacement: false)
        return (rows, reader.protection, reader.warning)
    }
}
