import Foundation
import PostgreSQL
import PostgreSQLSupport
import SQLite
import StorageSupport
import System
import Testing

@testable import Humon

/// `humon move`, and backups of PostgreSQL.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct MoveCommandTests {
    private let program: Program
    private let database: TestDatabase

    init() throws {
        program = try Program()
        database = try TestDatabase()
        _ = try run("migrate")
        try fill("humon.sqlite3")
    }

    private var url: String { database.server.urlText(of: database.name) }

    private func run(_ line: String, on url: String = "sqlite:humon.sqlite3") throws
        -> Program.Outcome
    {
        try program.run(line, settings: ["DATABASE_URL": url])
    }

    /// Runs SQL in a file.
    private func execute(_ sql: String, in name: String = "humon.sqlite3") throws {
        let configuration = DatabaseConfiguration(path: program.path(name), synchronous: .off)
        try Connection(configuration, .readWrite).execute(script: sql)
    }

    /// Adds rows to all tables, with all kinds of values and gaps between the ids.
    private func fill(_ name: String) throws {
        try execute(
            """
            INSERT INTO users VALUES (1, 5, NULL, NULL, randomblob(32), 8, 'É 1', NULL),
                (2, -6, NULL, 7, NULL, NULL, NULL, 3), (3, 7, 6, NULL, NULL, NULL, NULL, NULL);
            INSERT INTO user_tokens VALUES (4, 1, randomblob(32), 'é', 5, 6, NULL, NULL, 1),
                (7, 3, randomblob(32), NULL, 5, NULL, 4, 9, 2);
            INSERT INTO identities VALUES (3, 1, 'https://issuer.example', 'ana|1', 8);
            INSERT INTO reports VALUES (4, 1, 900, 3, 'spam', 'é', 1, NULL, NULL),
                (6, 2, 1, 0, 'words', NULL, 1, 2, 'dismiss');
            INSERT INTO blocks VALUES (3, 1, 3, 5);
            INSERT INTO idempotency_keys VALUES
                (7, randomblob(16), randomblob(32), 5, 201, 'etag "a"', x'7B00FF');
            INSERT INTO webhooks VALUES
                (4, 'https://a.example/é?b=c', randomblob(16), randomblob(16), 5, 'event', 'q=a',
                    100, 0, '5e8c01f7', 6, 7, 'snapshot 8', 9, 10, 11, 'é', 12, 'a', 13, 14),
                (6, 'https://a', randomblob(16), NULL, NULL, 'event,attendance', '', 1, 1,
                    '5e8c01f7', 0, NULL, NULL, 0, NULL, 0, NULL, NULL, '', 0, 15);
            INSERT INTO admins VALUES (5, 'ana', '$argon2id$x', 1, NULL), (7, 'b@c', 'x', 2, 3);
            INSERT INTO admin_tokens VALUES (3, 5, NULL, randomblob(32), 1, 2, 3),
                (8, 7, 'é', randomblob(32), 4, 5, 6);
            INSERT INTO deleted_accounts VALUES (2, 5, 6);
            INSERT INTO admin_actions
                VALUES (8, 'cli:ana', 1, 'hide', 'event', 900, 3, '{}', '{}', NULL);
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, updated_at) VALUES
                (1, 1, 'Café 🎉', NULL, 89.999999999999, -180, 1, NULL, 2, 3),
                (900, 3, 'a' || char(10) || 'b\t', '', 5e-324, 1.7976931348623157e-308, -1,
                    9007199254740991, 2, 3),
                (5000, 1, 'last', 'x', 0, 0, 1, 2, 3, 4);
            UPDATE events SET description = 'a' || char(13, 10) || 'é', url = 'http://a',
                image_url = 'http://b', category = 'c', tags = 'd,e', status = 'cancelled',
                all_day = 1, series_id = ' f ', data = '{"a":5.00}' WHERE id = 900;
            UPDATE events SET all_day = 0, hidden = 4 WHERE id = 5000;
            INSERT INTO attendances VALUES (1, 2, 900, 4), (4, 3, 1, 5);
            DELETE FROM attendances WHERE id = 4;
            INSERT INTO shared_tasks VALUES (2, -7, '', 1, 3), (3, 7, 'é', 0, 4);
            INSERT INTO checkins VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL, 0, 1),
                (2, 'a', 'b', 4.5, 1, 2, 'c', -5, 6);
            INSERT INTO accounts VALUES (1, 'ana@example.com', 'Ana', '$argon2id$x', 1, 2),
                (7, 'Bob@example.com', '', NULL, 1, 2);
            INSERT INTO sessions VALUES (3, 7, randomblob(32), 1), (6, 1, randomblob(32), 2);
            INSERT INTO todo_tasks VALUES (9, 7, 'x', 1, 1, 2), (10, 1, 'y', 0, 3, 4);
            DELETE FROM todo_tasks WHERE id = 10;
            """,
            in: name
        )
    }

    /// The rows of all tables and the ids that were assigned, as text.
    private func content(of name: String) throws -> [String] {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .inspect)
        let statements: [SQL] = [
            """
            SELECT quote(id) || quote(created_at) || quote(banned_at) || quote(deleted_at)
                || quote(deletion_digest) || quote(deletion_expires_at) || quote(name)
                || quote(merged_into)
            FROM users
            """,
            """
            SELECT quote(id) || quote(user_id) || quote(digest) || quote(name) || created_at
                || quote(last_seen_on) || quote(replaces) || quote(ends_at) || scope_id
            FROM user_tokens
            """,
            """
            SELECT id || quote(digest) || quote(fingerprint) || created_at || ',' || status
                || fields || quote(body) FROM idempotency_keys
            """,
            """
            SELECT id || url || quote(salt) || quote(former_salt) || quote(former_until) || types
                || filter || batch || ',' || allow_private || epoch || cursor || quote(snapshot_id)
                || quote(message) || attempts || quote(failing_since) || next_attempt_at
                || quote(last_result) || quote(disabled_at) || leased_by || leased_until || ','
                || created_at FROM webhooks
            """,
            """
            SELECT id || name || password_hash || created_at || quote(disabled_at) FROM admins
            """,
            """
            SELECT id || ',' || admin_id || quote(name) || quote(digest) || created_at || ','
                || last_used_at || ',' || expires_at FROM admin_tokens
            """,
            "SELECT id || ',' || user_id || issuer || subject || created_at FROM identities",
            """
            SELECT quote(id) || kind || ',' || record_id || ',' || reporter_id || reason
                || quote(note) || created_at || quote(resolved_at) || quote(outcome) FROM reports
            """,
            "SELECT id || ',' || user_id || ',' || blocked_id || ',' || created_at FROM blocks",
            "SELECT id || ',' || account_id || ',' || deleted_at FROM deleted_accounts",
            """
            SELECT id || actor || at || action || kind || record_id || ',' || user_id || before
                || after || quote(undone_by) FROM admin_actions
            """,
            """
            SELECT quote(id) || quote(owner_id) || quote(name) || quote(address) ||
                quote(latitude) || quote(longitude) || quote(started_at) || quote(ended_at) ||
                quote(created_at) || quote(updated_at) || quote(description) || quote(url) ||
                quote(image_url) || quote(category) || quote(tags) || quote(status) ||
                quote(all_day) || quote(series_id) || quote(data) || hidden
            FROM events
            """,
            "SELECT quote(id) || ',' || user_id || ',' || event_id || created_at FROM attendances",
            """
            SELECT quote(id) || quote(task_id) || quote(name) || is_completed || created_at
            FROM shared_tasks
            """,
            """
            SELECT quote(id) || quote(name) || quote(category) || quote(rating) || quote(latitude)
                || quote(longitude) || quote(user_name) || local_time || created_at FROM checkins
            """,
            """
            SELECT quote(id) || quote(email) || quote(name) || quote(password_hash) || created_at
                || updated_at FROM accounts
            """,
            "SELECT id || ',' || account_id || quote(token_digest) || created_at FROM sessions",
            """
            SELECT id || ',' || account_id || quote(title) || is_completed || created_at
                || updated_at FROM todo_tasks
            """,
            "SELECT name || ' ' || seq FROM sqlite_sequence ORDER BY name",
        ]
        return try statements.flatMap { sql in
            try connection.all(sql) { row in row.text(0) }
        }
    }

    @Test func keepsEveryValueThereAndBack() throws {
        let there = try run("move --to \(url)")
        let back = try run("move --to sqlite:back.sqlite3", on: url)

        #expect(there.status == 0, "\(there.error)")
        #expect(back.status == 0, "\(back.error)")
        #expect(there.output == back.output)
        #expect(there.output.contains("\nevents            3     5000         5001     "))
        #expect(there.output.contains("\nattendances       1     1            5        "))
        let content = try content(of: "back.sqlite3")
        #expect(content.count == 49)
        #expect(content == (try self.content(of: "humon.sqlite3")))
        let names = try program.files().filter { !$0.hasPrefix("humon") }
        #expect(names == ["back.sqlite3", "back.sqlite3-lock"])
    }

    @Test func leavesTheSourceClosedUntilItIsOpened() throws {
        #expect(try run("move --to \(url)").status == 0)

        #expect(throws: SQLiteError.self) { try execute("DELETE FROM sessions WHERE id = 3") }
        let reopened = try run("move --reopen")
        let again = try run("move --reopen")

        #expect(reopened.status == 0)
        #expect(reopened.error == "Servers can write to humon.sqlite3 again.\n")
        #expect(again.error == "humon.sqlite3 was open already.\n")
        try execute("DELETE FROM sessions WHERE id = 3")
    }

    @Test func logsOneChangeWithANewIdentity() throws {
        #expect(try run("migrate", on: url).status == 0)
        let log =
            "SELECT count(*) || ' ' || min(kind) || ' ' || max(kind) FROM changes WHERE seq > "
        let last = try database.run("SELECT max(seq) FROM changes")
        let epoch = try database.run("SELECT epoch FROM feed")
        #expect(try run("move --to \(url)").status == 0)
        #expect(try run("move --to sqlite:back.sqlite3", on: url).status == 0)

        #expect(try database.run(log + last) == "1 9 9")
        #expect(try database.run("SELECT epoch FROM feed") != epoch)
        let back = try Connection(
            DatabaseConfiguration(path: program.path("back.sqlite3")),
            .inspect
        )
        let source = try Connection(
            DatabaseConfiguration(path: program.path("humon.sqlite3")),
            .inspect
        )
        #expect(try back.first("SELECT count(*) FROM changes") { $0.int64(0) } == 0)
        let identity: SQL = "SELECT epoch FROM feed WHERE floor = 0"
        let identities = try [back, source].map { try $0.first(identity) { row in row.text(0) } }
        #expect(identities[0] != nil)
        #expect(identities[0] != identities[1])
    }

    @Test func closesAPostgreSQLDatabaseAndOpensIt() throws {
        #expect(try run("move --to \(url)").status == 0)
        try database.run("UPDATE users SET created_at = 6 WHERE id = 1")
        #expect(try run("move --to sqlite:back.sqlite3", on: url).status == 0)

        #expect(throws: StartFailure.self) { try database.run("DELETE FROM sessions") }
        #expect(throws: StartFailure.self) { try database.run("DELETE FROM users") }
        #expect(try run("move --reopen", on: url).status == 0)
        try database.run("DELETE FROM sessions")
    }

    @Test func opensAPostgreSQLDatabaseWhileSomebodyReads() throws {
        #expect(try run("move --to \(url)").status == 0)
        #expect(try run("move --to sqlite:back.sqlite3", on: url).status == 0)
        let reader = try BlockingConnection(url: database.url)
        try reader.perform(Command("BEGIN"))
        // Such a lock is what a dump of the database has for hours.
        try reader.perform(Command("SELECT count(*) FROM users"))

        let reopened = try run("move --reopen", on: url)

        #expect(reopened.status == 0, "\(reopened.error)")
        try database.run("DELETE FROM sessions")
        #expect(try run("move --to sqlite:again.sqlite3", on: url).status == 0)
        #expect(throws: StartFailure.self) { try database.run("DELETE FROM users") }
    }

    @Test func movesFromADatabaseThatAFileNames() throws {
        try program.write("sqlite:humon.sqlite3\n", to: "url")

        let outcome = try program.run(
            "move --to \(url)",
            settings: ["DATABASE_URL_FILE": "url"]
        )

        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try database.run("SELECT count(*) FROM events") == "3")
    }

    @Test func saysWhichTargetIsWrong() throws {
        let outcome = try run("move --to mysql://humon:secret@db/humon")

        #expect(outcome.status == 78)
        #expect(outcome.error.contains("DATABASE_URL is \"mysql:…\" (--to)"), "\(outcome.error)")
    }

    @Test func rejectsATargetWithRecords() throws {
        #expect(try run("migrate", on: url).status == 0)
        try database.run("INSERT INTO users (created_at) VALUES (1)")

        let outcome = try run("move --to \(url)")

        #expect(outcome.status == 1)
        #expect(
            outcome.error == """
                humon: The target has records. Name an empty database, so that none of them are \
                lost.

                """
        )
        #expect(try database.run("SELECT count(*) FROM users") == "1")
        try execute("DELETE FROM sessions WHERE id = 3")
    }

    @Test func rejectsATargetThatExists() throws {
        #expect(try run("migrate", on: "sqlite:other.sqlite3").status == 0)

        let outcome = try run("move --to sqlite:other.sqlite3")
        let same = try run("move --to sqlite:./humon.sqlite3")
        let first = try run("move --to sqlite:first.sqlite3")
        let second = try run("move --to sqlite:first.sqlite3")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("There is a database at \"other.sqlite3\"."))
        #expect(first.status == 0, "\(first.error)")
        for outcome in [same, second] {
            #expect(outcome.status == 1)
            #expect(
                outcome.error == """
                    humon: The target is the source itself, or the source was moved to it already. \
                    Name another database.

                    """
            )
        }
    }

    @Test func emptiesThePartOfAnotherMove() throws {
        #expect(try run("migrate", on: url).status == 0)
        // As earlier versions left it.
        try database.run(
            """
            INSERT INTO users (created_at) VALUES (1);
            CREATE TABLE moves (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO moves VALUES ('source', 'x'), ('source_name', 'other.sqlite3'),
                ('users', '1');
            CREATE FUNCTION humon_reject_write() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'the data is being moved' USING ERRCODE = 'HM001'; END $$;
            CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON users FOR EACH ROW
                WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
                EXECUTE FUNCTION humon_reject_write()
            """
        )

        let served = try run("seed", on: url)
        let outcome = try run("move --to \(url)")

        #expect(served.status == 1)
        #expect(served.error.contains("doesn't have all records of other.sqlite3"))
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try database.run("SELECT sum(id) FROM users") == "6")
        try database.run("DELETE FROM sessions")
    }

    @Test(arguments: ["serve", "migrate", "seed"])
    func servesNoEmptyDatabaseBesideAnUnfinishedMove(line: String) throws {
        try program.write("half", to: "target.sqlite3.moving")

        let outcome = try program.run(
            line,
            settings: ["DATABASE_URL": "sqlite:target.sqlite3", "TB_APP_SECRET": "secret"]
        )

        #expect(outcome.status == 1)
        #expect(
            outcome.error == """
                humon: There is no database at "target.sqlite3" yet, because a move to it is not \
                finished: "target.sqlite3.moving" contains only a part of the records. Run \
                `humon move` again, which begins anew. To start with an empty database instead, \
                delete "target.sqlite3.moving".

                """
        )
        #expect(try !program.files().contains("target.sqlite3"))
    }

    @Test func replacesThePartOfAnotherMove() throws {
        try program.write("half", to: "target.sqlite3.moving")

        let outcome = try run("move --to sqlite:target.sqlite3")

        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try content(of: "target.sqlite3") == content(of: "humon.sqlite3"))
    }

    @Test(arguments: ["move", "move --to sqlite:a.sqlite3 --reopen", "move --to"])
    func needsATargetOrReopen(line: String) throws {
        #expect(try run(line).status == 64)
    }

    @Test func backsUpAndRestoresPostgreSQL() throws {
        #expect(try run("move --to \(url)").status == 0)
        let other = try TestDatabase()
        let otherURL = other.server.urlText(of: other.name)

        let backup = try run("backup copy.sqlite3", on: url)
        let again = try run("backup copy.sqlite3", on: url)
        let check = try run("backup --verify copy.sqlite3", on: url)
        let restored = try run("restore copy.sqlite3", on: otherURL)
        let refused = try run("restore copy.sqlite3", on: otherURL)

        #expect(backup.status == 0, "\(backup.error)")
        #expect(again.status == 0, "\(again.error)")
        #expect(check.status == 0, "\(check.error)")
        #expect(try content(of: "copy.sqlite3") == content(of: "humon.sqlite3"))
        #expect(restored.status == 0, "\(restored.error)")
        #expect(restored.error.hasSuffix("rows from \"copy.sqlite3\", and verified them.\n"))
        #expect(refused.status == 1)
        #expect(try run("move --to sqlite:back.sqlite3", on: otherURL).status == 0)
        #expect(try content(of: "back.sqlite3") == content(of: "humon.sqlite3"))
    }
}
