/// `humon doctor`: reports the state of the installation, and how to fix each problem.
struct DoctorCommand {
    let invocation: Invocation

    /// Prints a line for each finding, and returns `.failure` if one of them is a problem.
    func run(isFull: Bool, settings: () throws -> ResolvedConfiguration) -> ExitCode {
        let findings: [Finding]
        do {
            let resolved = try settings()
            findings =
                [.ok("settings", "all values are allowed")]
                + Diagnosis.findings(
                    of: Facts.gather(
                        resolved,
                        of: try Databases.engine(for: resolved.configuration),
                        settingsFile: invocation.settingsFile ?? ".env",
                        isFull: isFull
                    )
                )
        } catch {
            findings = [Diagnosis.finding(ofSettings: Failure(error).message)]
        }
        for finding in findings { Terminal.output.write(finding.line + "\n") }
        return findings.contains { $0.grade == .problem } ? .failure : .success
    }
}
