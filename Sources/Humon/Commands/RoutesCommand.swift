import HTTP
import Web

/// `humon routes`: lists every route and its summary.
struct RoutesCommand: PlainCommand {
    static let description = CommandDescription(name: "routes", summary: "List every route.")

    func run(in context: CommandContext) throws -> ExitCode {
        // The routes don't depend on the settings, but invalid settings are an error.
        _ = try context.settings()
        let rows = Routes.listing().map { [$0.method.rawValue, $0.pattern, $0.summary] }
        Terminal.output.write(TextTable.text(rows) + "\n")
        return .success
    }
}
