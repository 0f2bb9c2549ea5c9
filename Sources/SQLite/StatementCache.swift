import System

/// The prepared statements of a connection, by the address of their text.
///
/// The number of statements in the program is fixed, but each copy of a text has an address.
struct StatementCache {
    /// A statement and whether it is in use.
    final class Entry {
        let statement: Statement
        var isInUse = true

        init(_ statement: consuming Statement) {
            self.statement = statement
        }
    }

    /// The number of statements beyond which those that are not in use are dropped.
    private static let mostEntries = 1000

    private var entries: [UInt: Entry] = [:]

    /// Returns a statement marked as in use; if the cached one is in use, it prepares another.
    mutating func take(_ sql: SQL, handle: Handle) throws(SQLiteError) -> Entry {
        let key = sql.address
        if let entry = entries[key] {
            if !entry.isInUse {
                entry.isInUse = true
                return entry
            }
            return Entry(try Statement(sql.description, isPersistent: false, handle: handle))
        }
        if entries.count >= Self.mostEntries { entries = entries.filter(\.value.isInUse) }
        let entry = Entry(try Statement(sql.description, isPersistent: true, handle: handle))
        entries[key] = entry
        return entry
    }

    /// Ends the statement's execution and marks it as unused.
    func giveBack(_ entry: Entry) {
        entry.statement.reset()
        entry.isInUse = false
    }
}
