import PostgreSQLSupport
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

/// The migrations of both engines make the same tables.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct SchemaTests {
    @Test func haveTheSameNames() throws {
        let names = try StorageFixture.migrations(of: "postgresql").map(\.name)

        #expect(try names == StorageFixture.migrations().map(\.name))
    }

    @Test func makeTheSameColumns() throws {
        let columns = try MigratedDatabase().database.run(
            """
            SELECT table_name, column_name, CASE data_type
                    WHEN 'bigint' THEN 'INTEGER' WHEN 'boolean' THEN 'INTEGER'
                    WHEN 'bytea' THEN 'BLOB' WHEN 'double precision' THEN 'REAL'
                    WHEN 'text' THEN 'TEXT' ELSE data_type END,
                CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
            FROM information_schema.columns WHERE table_schema = 'public'
                AND table_name <> 'valid_tokens'
            ORDER BY table_name COLLATE "C", ordinal_position
            """
        )

        let expected = try rows(
            """
            SELECT t.name || '|' || c.name || '|' || c.type || '|' || c."notnull"
            FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid
            """
        )
        // Each engine has a column of its own in the table of the log's state.
        let own = ["feed|boot|TEXT|0", "feed|taken|INTEGER|1"]
        #expect(
            columns.split(separator: "\n").map(String.init).filter { !own.contains($0) }
                == expected.filter { !own.contains($0) }
        )
        #expect(expected.count > 40)
    }

    @Test func makeTheSameIndexes() throws {
        let indexes = try MigratedDatabase().database.run(
            """
            SELECT indrelid::regclass, CASE WHEN indisunique THEN 1 ELSE 0 END,
                CASE WHEN indpred IS NULL THEN 0 ELSE 1 END,
                (SELECT string_agg(pg_get_indexdef(indexrelid, n, TRUE), ',' ORDER BY n)
                    FROM generate_series(1, indnkeyatts) AS n) AS columns
            FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
            WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary
            """
        )
        .replacing("lower(email)", with: "email")
        // SQLite's indexes end with the id anyway.
        .replacing(/,id$/.anchorsMatchLineEndings(), with: "")

        let expected = try rows(
            """
            SELECT t.name || '|' || i."unique" || '|' || i.partial || '|'
                || (SELECT group_concat(name) FROM pragma_index_info(i.name))
            FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS i
            WHERE t.type = 'table' AND i.origin <> 'pk'
            """
        )
        #expect(indexes.split(separator: "\n").map(String.init).sorted() == expected.sorted())
        #expect(expected.count > 8)
    }

    @Test func makeTheSameReferences() throws {
        let references = try MigratedDatabase().database.run(
            """
            SELECT conrelid::regclass, a.attname, confrelid::regclass, b.attname,
                CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'r' THEN 'RESTRICT' END
            FROM pg_constraint
                JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = conkey[1]
                JOIN pg_attribute AS b ON b.attrelid = confrelid AND b.attnum = confkey[1]
            WHERE contype = 'f'
            """
        )

        let expected = try rows(
            """
            SELECT t.name || '|' || r."from" || '|' || r."table" || '|' || r."to" || '|'
                || r.on_delete
            FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS r
            WHERE t.type = 'table'
            """
        )
        #expect(references.split(separator: "\n").map(String.init).sorted() == expected.sorted())
        #expect(expected.count == 11)
    }

    private func rows(_ sql: SQL) throws -> [String] {
        try StorageFixture().database.readers.read { connection in
            try connection.all(sql) { $0.text(0) }
        }
    }
}
