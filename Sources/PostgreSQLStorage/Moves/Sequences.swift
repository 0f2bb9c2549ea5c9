import Model
import PostgreSQL

extension MovedTable {
    /// The name of the sequence that generates the ids.
    var sequence: String { rawValue + "_id_seq" }
}

extension BlockingConnection {
    /// Returns the next value of a table's sequence, even if a row already has this id.
    func nextSequenceID(of table: MovedTable) throws -> Int64 {
        guard let row = try perform(Command(MoveStatements.of(table).nextID)).first else {
            throw OperatorError("The sequence \(table.sequence) is missing. Restore a backup.")
        }
        return try row.bigint(0)
    }
}
