import Model
import PostgreSQL

extension MovedTable {
    /// The name of the sequence that the ids come from.
    var sequence: String { rawValue + "_id_seq" }
}

extension BlockingConnection {
    /// Returns the id that the sequence of a table returns next, even if a row already has it.
    func nextSequenceID(of table: MovedTable) throws -> Int64 {
        guard let row = try perform(Command(MoveStatements.of(table).nextID)).first else {
            throw OperatorError("The sequence \(table.sequence) is missing. Restore a backup.")
        }
        return try row.bigint(0)
    }
}
