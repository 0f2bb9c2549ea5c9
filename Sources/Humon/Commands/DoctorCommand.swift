import Operations
import Settings

/// `humon doctor`: reports the state of the installation, and how to fix each problem.
struct DoctorCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "doctor",
        summary: "Find problems, and say how to fix them.",
        options: [
            .init(
                name: "full",
                meaning: "Check every page, index and reference, and the values of events."
            )
        ]
    )

    /// Whether it reads the whole database.
    let isFull: Bool

    static func parse(_ arguments: Arguments) -> Self {
        Self(isFull: arguments.has("full"))
    }

    /// Prints a line for each finding, and returns `.failure` if one of them is a problem.
    func run(in context: CommandContext) throws -> ExitCode {
        let findings: [Finding]
        do {
            let resolved = try context.settings()
            try UserChange.apply(resolved.configuration)
            _ = try BlockedWords.list(at: resolved.configuration.blockedWordsPath)
            findings =
                .ok("settings", "all values are allowed")
                + Diagnosis.findings(
                    of: Facts.gather(
                        resolved,
                        of: try Databases.engine(for: resolved.configuration),
                        settingsFile: context.settingsPath,
                        isFull: isFull
                    )
                )
        } catch {
            findings = Diagnosis.finding(ofSettings: Failure(error).message)
        }
        let rows = findings.map { [$0.grade.rawValue, $0.sentences] }
        let width = Finding.Grade.problem.rawValue.count
        Terminal.output.write(TextTable.text(rows, minimumWidths: [width]) + "\n")
        return findings.contains { $0.grade == .problem } ? .failure : .success
    }
}
