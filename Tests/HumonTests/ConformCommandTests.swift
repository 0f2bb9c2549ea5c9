import Conformance
import PostgreSQLSupport
import Testing

@Suite struct ConformCommandTests {
    @Test func `finds no failure on SQLite`() throws {
        let program = try Program()

        let outcome = try program.run("conform", settings: ["TMPDIR": program.folder])

        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("SQLite 3."))
        #expect(outcome.output.hasSuffix("\n\(ConformanceCases.all.count) cases, 0 failures\n"))
        #expect(outcome.error == "")
        #expect(try program.files() == [])
    }

    @Test(.enabled(if: ThrowawayPostgreSQL.isInstalled, "No server of PostgreSQL is installed."))
    func `leaves a PostgreSQL database as it was`() throws {
        let program = try Program()
        let database = try TestDatabase()
        try database.run("CREATE TABLE users (note TEXT); INSERT INTO users VALUES ('mine')")
        let settings = ["DATABASE_URL": database.server.urlText(of: database.name)]

        let outcome = try program.run("conform", settings: settings)

        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("PostgreSQL "))
        #expect(outcome.output.contains("/\(database.name), schema humon_conform_"))
        #expect(outcome.output.hasSuffix("\n\(ConformanceCases.all.count) cases, 0 failures\n"))
        #expect(try database.run("SELECT note FROM users") == "mine")
        #expect(
            try database.run("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'humon%'") == "0"
        )
    }

    @Test(.enabled(if: ThrowawayPostgreSQL.isInstalled, "No server of PostgreSQL is installed."))
    func `fails on an engine that does something else`() throws {
        let program = try Program()
        let database = try TestDatabase()
        // A trigger of the whole database that takes the names of new events' tables.
        try database.run(
            """
            CREATE FUNCTION rename() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN new.name := 'other'; RETURN new; END $$;
            CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
            DECLARE command record;
            BEGIN
                FOR command IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
                    IF command.object_identity LIKE '%.checkins' THEN
                        EXECUTE 'CREATE TRIGGER rename BEFORE INSERT ON '
                            || command.object_identity
                            || ' FOR EACH ROW EXECUTE FUNCTION public.rename()';
                    END IF;
                END LOOP;
            END $$;
            CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
            EXECUTE FUNCTION watch()
            """
        )
        let settings = ["DATABASE_URL": database.server.urlText(of: database.name)]

        let outcome = try program.run("conform", settings: settings)

        #expect(outcome.status == 1)
        let count = ConformanceCases.all(of: .checkins).count
        #expect(
            outcome.output.contains(
                "FAILED  \(count)    check-ins\n        The storage stores every"
            )
        )
        #expect(outcome.output.contains(" cases, "))
        #expect(!outcome.output.hasSuffix(" 0 failures\n"))
    }
}
