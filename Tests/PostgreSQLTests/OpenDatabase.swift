import PostgreSQL
import PostgreSQLSupport
import System

/// A database of its own with open connections, which are closed with the value.
final class OpenDatabase: Sendable {
    let database: Database
    private let test: TestDatabase

    var name: String { test.name }
    var url: ConnectionURL { test.url }

    /// Creates a database, or connects to that of another fixture.
    init(
        sharing other: OpenDatabase? = nil,
        _ configure: (inout DatabaseOptions) -> Void = { _ in }
    ) throws {
        test = try other?.test ?? TestDatabase()
        var configuration = DatabaseOptions(url: test.url)
        configure(&configuration)
        database = try Database(configuration)
    }

    deinit {
        database.close()
    }

    /// Executes SQL on a connection of its own, and returns what it prints.
    @discardableResult
    func run(_ sql: String) throws -> String {
        try test.run(sql)
    }

    /// Ends all connections to the database, and waits until they are gone.
    func killBackends() throws { try test.killBackends() }

    /// Reads the number and its quotient, which is an error if the divisor is 0.
    func divide(_ number: Int64, by divisor: Int64) async -> ReadOutcome {
        let command = Command("SELECT $1, $1 / $2", [.bigint(number), .bigint(divisor)])
        do throws(PostgreSQLError) {
            let row = try await database.read(command)[0]
            return .read(try row.bigint(0), try row.bigint(1))
        } catch {
            return .failed(error.state?.rawValue ?? "\(error.kind)")
        }
    }

    /// Returns the next number of a sequence, and `number`.
    func draw(with number: Int64) async -> ReadOutcome {
        let command = Command(shared: "SELECT nextval('drawn'), $1", [.bigint(number)])
        do throws(PostgreSQLError) {
            let row = try await database.read(command)[0]
            return .read(try row.bigint(0), try row.bigint(1))
        } catch {
            return .failed(error.state?.rawValue ?? "\(error.kind)")
        }
    }

    /// Looks up a number from 1 to 1,000, and returns it with the count of numbers in the query.
    func lookUp(_ number: Int64) async -> ReadOutcome? {
        let command = Command(
            lookup: "SELECT n, 1::int8 FROM generate_series(1::int8, 1000) AS n WHERE n = $1",
            together: """
                SELECT n, cardinality($1)::int8 FROM generate_series(1::int8, 1000) AS n
                WHERE n = ANY ($1)
                """,
            number
        )
        do throws(PostgreSQLError) {
            guard let row = try await database.read(command).first else { return nil }
            return .read(try row.bigint(0), try row.bigint(1))
        } catch {
            return .failed(error.state?.rawValue ?? "\(error.kind)")
        }
    }
}

/// What a read has returned.
enum ReadOutcome: Equatable, Sendable {
    case read(Int64, Int64)
    /// The code of the error, or else its kind.
    case failed(String)
}
