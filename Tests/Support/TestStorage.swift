import Foundation
import Humon
import Model
import PostgreSQL
import PostgreSQLSupport
import Settings
import SQLite
import StorageSupport
import System

/// The storage of the servers under test.
package enum TestStorage: String, Sendable {
    case sqlite
    case postgresql

    /// The storage that HUMON_TEST_STORAGE names, which is SQLite unless it is set.
    ///
    /// `HUMON_TEST_STORAGE=postgresql swift test --filter RequestSpecs` runs them on PostgreSQL.
    package static let ofEnvironment: TestStorage = {
        let name = ProcessInfo.processInfo.environment["HUMON_TEST_STORAGE"] ?? ""
        guard !name.isEmpty else { return .sqlite }
        guard let storage = TestStorage(rawValue: name) else {
            fatalError("HUMON_TEST_STORAGE is \(name), but must be sqlite or postgresql.")
        }
        return storage
    }()
}

/// A database of a server under test, which specs read and change by connections of their own.
///
/// They use SQLite's SQL, whatever the database is.
final class ServedDatabase: Sendable {
    private let folder: TemporaryFolder
    private let postgresql: MigratedDatabase?
    /// Whether it is the database that the environment names.
    private let isNamed: Bool

    private var path: String { folder.path + "/humon.sqlite3" }

    init(_ storage: TestStorage, in folder: TemporaryFolder) throws {
        self.folder = folder
        isNamed = storage == .postgresql && NamedDatabase.urlText != nil
        postgresql = storage == .postgresql && !isNamed ? try MigratedDatabase() : nil
        if isNamed { try NamedDatabase.reset() }
    }

    /// Makes a configuration name this database.
    func apply(to configuration: inout Configuration) {
        configuration.databasePath = path
        configuration.postgresqlURL = isNamed ? NamedDatabase.urlText : postgresql?.urlText
        if isNamed { configuration.preparesStatements = NamedDatabase.preparesStatements }
    }

    /// The first column of every row.
    func rows(_ sql: StaticString) throws -> [String] {
        try withFile { file in
            try Connection(file, .queryOnly).all(.init(stringLiteral: sql)) { row in row.text(0) }
        }
    }

    /// Changes the database behind the application's back.
    func change(_ sql: StaticString) throws {
        if let postgresql {
            try postgresql.database.run("\(sql)")
        } else if isNamed {
            try NamedDatabase.run(.init(stringLiteral: sql))
        } else {
            let file = DatabaseConfiguration(path: path, synchronous: .off)
            try Connection(file, .readWrite).run(.init(stringLiteral: sql))
        }
    }

    /// Every byte that the database has on the disk.
    func bytes() throws -> [UInt8] {
        try withFile { file in
            ["", "-wal"].flatMap { suffix in
                let url = URL(fileURLWithPath: file.path + suffix)
                return [UInt8]((try? Data(contentsOf: url)) ?? Data())
            }
        }
    }

    /// Runs `body` with a SQLite database of the same content.
    private func withFile<T>(_ body: (DatabaseConfiguration) throws -> T) throws -> T {
        guard let postgresql else {
            return try body(DatabaseConfiguration(path: path, synchronous: .off))
        }
        let copy = folder.path + "/copy-\(UUID().uuidString).sqlite3"
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        configuration.databasePath = copy
        try Databases.open(configuration).close()
        let file = DatabaseConfiguration(path: copy, synchronous: .off)
        let script = try BlockingConnection(url: postgresql.database.url)
            .perform(PostgreSQL.Command(Self.copy))
            .map { try $0.text(0) }
        try Connection(file, .readWrite).execute(script: script.joined(separator: "\n"))
        return try body(file)
    }

    /// Makes a statement of SQLite from each row, those of referenced tables first.
    private static let copy: SQL = """
        SELECT format('INSERT INTO users VALUES (%s);', concat_ws(', ', id,
            created_at, coalesce(banned_at::text, 'NULL'), coalesce(deleted_at::text, 'NULL'),
            coalesce('X''' || encode(deletion_digest, 'hex') || '''', 'NULL'),
            coalesce(deletion_expires_at::text, 'NULL'),
            coalesce('''' || replace(name, '''', '''''') || '''', 'NULL'),
            coalesce(merged_into::text, 'NULL')))
        FROM users
        UNION ALL
        SELECT format('INSERT INTO user_tokens VALUES (%s);', concat_ws(', ', id, user_id,
            'X''' || encode(digest, 'hex') || '''',
            coalesce('''' || replace(name, '''', '''''') || '''', 'NULL'), created_at,
            coalesce(last_seen_on::text, 'NULL'), coalesce(replaces::text, 'NULL'),
            coalesce(ends_at::text, 'NULL'), scope_id))
        FROM user_tokens
        UNION ALL
        SELECT format('INSERT INTO identities VALUES (%s, %s, ''%s'', ''%s'', %s);', id, user_id,
            issuer, replace(subject, '''', ''''''), created_at)
        FROM identities
        UNION ALL
        SELECT format('INSERT INTO idempotency_keys VALUES (%s, X''%s'', X''%s'', %s, %s, ''%s'', '
            'X''%s'');', id, encode(digest, 'hex'), encode(fingerprint, 'hex'), created_at,
            status, replace(fields, '''', ''''''), encode(body, 'hex'))
        FROM idempotency_keys
        UNION ALL
        SELECT format('INSERT INTO webhooks VALUES (%s);', concat_ws(', ', id,
            '''' || replace(url, '''', '''''') || '''',
            'X''' || encode(salt, 'hex') || '''',
            coalesce('X''' || encode(former_salt, 'hex') || '''', 'NULL'),
            coalesce(former_until::text, 'NULL'), '''' || types || '''',
            '''' || replace(filter, '''', '''''') || '''', batch, allow_private,
            '''' || epoch || '''', cursor, coalesce(snapshot_id::text, 'NULL'),
            coalesce('''' || message || '''', 'NULL'), attempts,
            coalesce(failing_since::text, 'NULL'), next_attempt_at,
            coalesce('''' || replace(last_result, '''', '''''') || '''', 'NULL'),
            coalesce(disabled_at::text, 'NULL'), '''' || leased_by || '''', leased_until,
            created_at))
        FROM webhooks
        UNION ALL
        SELECT format('INSERT INTO admins VALUES (%s, ''%s'', ''%s'', %s, %s);', id, name,
            password_hash, created_at, coalesce(disabled_at::text, 'NULL'))
        FROM admins
        UNION ALL
        SELECT format('INSERT INTO admin_tokens VALUES (%s);', concat_ws(', ', id, admin_id,
            coalesce('''' || replace(name, '''', '''''') || '''', 'NULL'),
            'X''' || encode(digest, 'hex') || '''', created_at, last_used_at, expires_at))
        FROM admin_tokens
        UNION ALL
        SELECT format('INSERT INTO events (id, owner_id, name, address, latitude, longitude, '
            'started_at, ended_at, created_at, updated_at, description, url, image_url, category, '
            'tags, status, all_day, series_id, visibility, data, hidden) VALUES (%s);',
            concat_ws(', ', id, owner_id,
            '''' || replace(name, '''', '''''') || '''',
            coalesce('''' || replace(address, '''', '''''') || '''', 'NULL'),
            latitude, longitude, started_at, coalesce(ended_at::text, 'NULL'), created_at,
            updated_at,
            coalesce('''' || replace(description, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(url, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(image_url, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(category, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(tags, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(status, '''', '''''') || '''', 'NULL'),
            coalesce(all_day::int::text, 'NULL'),
            coalesce('''' || replace(series_id, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(visibility, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(data, '''', '''''') || '''', 'NULL'), hidden))
        FROM events
        UNION ALL
        SELECT format('INSERT INTO attendances VALUES (%s, %s, %s, %s);', id, user_id, event_id,
            created_at)
        FROM attendances
        UNION ALL
        SELECT format('INSERT INTO invitations VALUES (%s, %s, X''%s'', %s);', id, event_id,
            encode(code_digest, 'hex'), created_at)
        FROM invitations
        UNION ALL
        SELECT format('INSERT INTO reports VALUES (%s);', concat_ws(', ', id, kind, record_id,
            reporter_id, '''' || reason || '''',
            coalesce('''' || replace(note, '''', '''''') || '''', 'NULL'), created_at,
            coalesce(resolved_at::text, 'NULL'),
            coalesce('''' || outcome || '''', 'NULL')))
        FROM reports
        UNION ALL
        SELECT format('INSERT INTO blocks VALUES (%s, %s, %s, %s);', id, user_id, blocked_id,
            created_at)
        FROM blocks
        UNION ALL
        SELECT format('INSERT INTO deleted_accounts VALUES (%s, %s, %s);', id, account_id,
            deleted_at)
        FROM deleted_accounts
        UNION ALL
        SELECT format('INSERT INTO shared_tasks VALUES (%s, %s, ''%s'', %s, %s);', id, task_id,
            replace(name, '''', ''''''), is_completed::int, created_at)
        FROM shared_tasks
        UNION ALL
        SELECT format('INSERT INTO checkins VALUES (%s);', concat_ws(', ', id,
            coalesce('''' || replace(name, '''', '''''') || '''', 'NULL'),
            coalesce('''' || replace(category, '''', '''''') || '''', 'NULL'),
            coalesce(rating::text, 'NULL'), coalesce(latitude::text, 'NULL'),
            coalesce(longitude::text, 'NULL'),
            coalesce('''' || replace(user_name, '''', '''''') || '''', 'NULL'),
            local_time, created_at))
        FROM checkins
        UNION ALL
        SELECT format('INSERT INTO accounts VALUES (%s);', concat_ws(', ', id,
            '''' || replace(email, '''', '''''') || '''',
            '''' || replace(name, '''', '''''') || '''',
            coalesce('''' || replace(password_hash, '''', '''''') || '''', 'NULL'),
            created_at, updated_at))
        FROM accounts
        UNION ALL
        SELECT format('INSERT INTO sessions VALUES (%s, %s, X''%s'', %s);', id, account_id,
            encode(token_digest, 'hex'), created_at)
        FROM sessions
        UNION ALL
        SELECT format('INSERT INTO todo_tasks VALUES (%s, %s, ''%s'', %s, %s, %s);', id,
            account_id, replace(title, '''', ''''''), is_completed::int, created_at, updated_at)
        FROM todo_tasks
        """
}
