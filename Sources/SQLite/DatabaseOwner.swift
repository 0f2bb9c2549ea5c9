import Glibc

/// Distinguishes Humon's databases from those of other programs.
package enum DatabaseOwner {
    /// The application id of every database that Humon has opened for writing: "Humo"
    /// (<https://sqlite.org/pragma.html#pragma_application_id>).
    package static let applicationID: Int32 = 0x4875_6D6F

    private static let namedTables = 3

    /// Throws `SQLiteError` if the file is another program's database.
    ///
    /// A database without an application id is Humon's if it has the table of migrations, as those
    /// of earlier versions do, or no tables at all. It changes nothing.
    static func check(_ path: String, _ header: DatabaseHeader) throws(SQLiteError) {
        let found = header.applicationID
        if found == UInt32(bitPattern: applicationID) { return }
        if found != 0 {
            throw foreign(path, "its application_id is \(found), not \(applicationID)")
        }
        do throws(SQLiteError) {
            // The WAL's content is not read, because that would create an index.
            try checkTables(Handle(path: path, .immutable), path)
        } catch {
            // The owner of a damaged database is unknown; later checks report the damage.
            guard error.code.isOfBrokenFile else { throw error }
        }
    }

    /// Throws `SQLiteError` if the open database, including its WAL, is another program's.
    static func check(_ connection: Connection, _ path: String) throws(SQLiteError) {
        let found = try texts(connection.handle, "PRAGMA application_id").first
        if found != String(applicationID) { try checkTables(connection.handle, path) }
    }

    private static func checkTables(_ handle: Handle, _ path: String) throws(SQLiteError) {
        let columns = try texts(handle, migrationColumns)
        if columns == ["applied_at", "checksum", "name"] { return }
        let tables = try texts(handle, allTables)
        guard !tables.isEmpty else { return }
        let named = tables.prefix(namedTables).joined(separator: ", ")
        let more = tables.count > namedTables ? " and \(tables.count - namedTables) more" : ""
        throw foreign(
            path,
            "it has the tables or views \(named)\(more), and none of Humon's migrations"
        )
    }

    /// Sets the application id, unless it is set.
    ///
    /// On a full disk it is skipped, because nothing else may need more space.
    static func mark(_ connection: Connection) throws(SQLiteError) {
        do throws(SQLiteError) {
            let found = try texts(connection.handle, "PRAGMA application_id").first
            if found != String(applicationID) { try connection.execute(script: setNumber) }
        } catch {
            guard error.code.isOfFullDisk else { throw error }
        }
    }

    private static func texts(_ handle: Handle, _ sql: String) throws(SQLiteError) -> [String] {
        let statement = try Statement(sql, isPersistent: false, handle: handle)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.row.text(0)) }
        return texts
    }

    private static func foreign(_ path: String, _ evidence: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: """
                "\(DatabaseFile.shown(path))" is another program's database: \(evidence). Set \
                DATABASE_URL to a file that only Humon uses
                """
        )
    }

    private static let setNumber = "PRAGMA application_id = \(applicationID)"
    private static let migrationColumns = """
        SELECT name FROM pragma_table_info('schema_migrations') ORDER BY name
        """
    private static let allTables = """
        SELECT name FROM sqlite_schema
        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """
}
