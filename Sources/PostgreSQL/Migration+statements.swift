import System

extension Migration {
    /// The first line of a migration whose statements are not part of a transaction.
    private static let aloneMark = "-- humon: each statement alone"

    /// Whether its statements can't be part of a transaction, such as CREATE INDEX CONCURRENTLY.
    var isAlone: Bool { sql.hasPrefix(Self.aloneMark) }

    /// The statements, each of which ends with a semicolon at the end of a line.
    var statements: [String] {
        var statements: [String] = []
        var statement = ""
        for line in sql.split(separator: "\n") where !line.hasPrefix("--") {
            statement += line + "\n"
            guard line.hasSuffix(";") else { continue }
            statements.append(statement)
            statement = ""
        }
        return statement.isEmpty ? statements : statements + [statement]
    }
}
