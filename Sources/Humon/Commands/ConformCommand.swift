import Conformance
import Formats
import Model
import Settings

/// `humon conform`: checks that an engine stores records as Humon requires.
struct ConformCommand: Command {
    static let description = CommandDescription(
        name: "conform",
        summary: "Check that a database engine does what Humon requires.",
        notes: [
            """
            Runs the same cases on every engine. With --database-url postgres://…, they run in a
            schema humon_conform_… of that database, which is created and dropped. The other tables
            are not read or changed. Behind a pooler that can't select a schema, the database must
            be empty. For SQLite, the cases run in a temporary folder.
            """
        ]
    )

    static func parse(_ arguments: Arguments) -> Self { Self() }

    /// Runs all cases, and prints the engine, its version and the failures.
    ///
    /// - Returns: `.failure` if a case has failed, or the exit code of the signal that ended it.
    func run(in context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration()
        let interruption = try Interruption()
        let database = try ConformanceDatabase(configuration)
        Terminal.output.write("\(database.version)\n\(database.place)\n")
        var failureCount = 0
        var runs = 0
        for area in ConformanceArea.allCases {
            let cases = ConformanceCases.all(of: area)
            let failed = await failures(of: cases, on: database) { interruption.signal != nil }
            if interruption.signal != nil { break }
            runs += cases.count
            failureCount += failed.count
            let state = failed.isEmpty ? "ok" : "FAILED"
            let row = [state, "\(cases.count)", area.rawValue]
            Terminal.output.write(TextTable.text([row], minimumWidths: [6, 3]) + "\n")
            for line in failed { Terminal.output.write("        \(line)\n") }
        }
        try database.remove()
        Terminal.output.write("\(runs) cases, \(failureCount) failures\n")
        if let signal = interruption.signal { return signal.exitCode }
        return failureCount == 0 ? .success : .failure
    }

    /// Runs cases until one is interrupted, and returns a line for each that failed.
    private func failures(
        of cases: [ConformanceCase],
        on database: ConformanceDatabase,
        isCancelled: () -> Bool
    ) async -> [String] {
        var lines: [String] = []
        for conformanceCase in cases where !isCancelled() {
            do {
                let storage = try database.open()
                defer { storage.close() }
                try await conformanceCase.run(
                    on: ConformanceSubject(
                        storage.stores,
                        storage.transfer,
                        storage.accountAdministration,
                        .json
                    )
                )
            } catch {
                lines.append("The storage \(conformanceCase.name): \(Explanation.text(of: error))")
            }
        }
        return lines
    }
}
