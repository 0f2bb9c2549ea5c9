import System

/// The differences between a database and its migrations, as names such as `table events`.
package struct SchemaDifference: Equatable, Sendable {
    /// The objects that don't exist or have another definition.
    package let missing: [String]
    /// The objects that no migration has created.
    package var extra: [String]
}

extension Migrator {
    /// Returns the tables of applied migrations that the database lacks.
    ///
    /// - Throws: The errors of `migrate`.
    package func missingTables() throws -> [String] {
        try WriterLock.checkHolders(configuration)
        let connection = try Connection(configuration, .queryOnly)
        let missing = try schemaDifference(on: connection).missing
        let names = Set(try SchemaObject.all(in: connection.handle).map(\.title))
        return missing.filter { $0.hasPrefix("table ") && !names.contains($0) }
            .map { String($0.dropFirst("table ".count)) }
    }

    /// Compares the database with an empty one after the same migrations, without SQLite's own
    /// tables.
    ///
    /// - Throws: The errors of `migrate`.
    package func schemaDifference(on connection: Connection) throws -> SchemaDifference {
        let appliedCount = try status(on: connection).count { $0.appliedAt != nil }
        let model = try Handle(path: ":memory:")
        for function in formerFunctions { try model.addZero(function) }
        try model.execute(script: "\(Migrator.createTable)")
        for migration in list.migrations.prefix(appliedCount) {
            try model.execute(script: migration.sql)
        }
        let expected = try SchemaObject.all(in: model)
        let found = try SchemaObject.all(in: connection.handle)
        let names = Set(expected.map(\.title))
        return SchemaDifference(
            missing: Set(expected).subtracting(found).map(\.title).sorted(),
            extra: Set(found.map(\.title)).subtracting(names).sorted()
        )
    }
}

/// A table, index, view or trigger.
private struct SchemaObject: Hashable {
    /// The kind and name.
    let title: String
    let table: String
    let sql: String

    static func all(in handle: Handle) throws(SQLiteError) -> [SchemaObject] {
        let statement = try Statement(query, isPersistent: false, handle: handle)
        var objects: [SchemaObject] = []
        while try statement.step() {
            let row = statement.row
            objects.append(SchemaObject(title: row.text(0), table: row.text(1), sql: row.text(2)))
        }
        return objects
    }

    /// The text of a virtual table's shadow tables depends on the version of SQLite, so it is
    /// ignored.
    private static let query = """
        SELECT type || ' ' || name, tbl_name, iif(
            name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'),
            '', coalesce(sql, '')
        )
        FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """
}
