/// The statements that a connection has prepared, by the address of their text.
///
/// There are as many as the program has statements, so that the cache needs no limit.
struct StatementCache {
    /// A statement that is lent out while it runs.
    final class Entry {
        let statement: Statement
        var isInUse = true

        init(_ statement: consuming Statement) {
            self.statement = statement
        }
    }

    private var entries: [UInt: Entry] = [:]

    /// The statement, marked as in use; a second one is prepared while the first is in use.
    mutating func take(_ sql: StaticString, handle: Handle) throws(SQLiteError) -> Entry {
        guard sql.hasPointerRepresentation else {
            throw SQLiteError(code: .misuse, message: "a single character is no statement")
        }
        let key = UInt(bitPattern: unsafe sql.utf8Start)
        if let entry = entries[key] {
            if !entry.isInUse {
                entry.isInUse = true
                return entry
            }
            return Entry(
                try Statement(sql.description, isPersistent: false, handle: handle)
            )
        }
        let entry = Entry(try Statement(sql.description, isPersistent: true, handle: handle))
        entries[key] = entry
        return entry
    }

    /// Ends the statement's execution and lets it be taken again.
    func giveBack(_ entry: Entry) {
        entry.statement.reset()
        entry.isInUse = false
    }
}
