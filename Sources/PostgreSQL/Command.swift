import Bytes
package import System

/// A statement with its bound values.
package struct Command: Sendable {
    /// The number that a command looks up, and the statement for several numbers at once.
    struct Lookup {
        /// The statement that looks up all numbers of an array, which is `$1`.
        let sql: SQL
        let number: Int64

        /// Whether both can be performed by one statement.
        func isSame(as other: Lookup) -> Bool {
            sql.isSame(as: other.sql)
        }
    }

    let sql: SQL
    let values: [Value]
    let lookup: Lookup?
    /// Whether requests of the same batch can share its result.
    let isShared: Bool
    /// The SQL for running several commands with the same `sql` as one statement, or nil.
    let together: SQL?
    /// The values that are noted behind each row of a write, if the writer takes notes.
    var note: [Value]?

    private init(
        _ sql: SQL,
        _ values: [Value],
        lookup: Lookup? = nil,
        isShared: Bool = false,
        together: SQL? = nil
    ) {
        self.sql = sql
        self.values = values
        self.lookup = lookup
        self.isShared = isShared
        self.together = together
    }

    /// Creates a command; `$1` is the first value, `$2` the second, and so on.
    package init(_ sql: SQL, _ values: [Value] = []) {
        self.init(sql, values, lookup: nil)
    }

    /// Creates a read that is sent once for all equal reads of a batch.
    package init(shared sql: SQL, _ values: [Value]) {
        self.init(sql, values, isShared: true)
    }

    /// Creates a write that can be performed together with others of the same statement.
    ///
    /// - Parameters:
    ///   - sql: A statement that returns at most one row.
    ///   - together: The statement that performs several. Each of its values is an array with a
    ///     value of each command, and the last one is an array of their positions from 0. It
    ///     returns the rows of all commands, each with the position as its last column.
    ///   - values: The values of `sql`, at least one.
    package init(write sql: SQL, together: SQL, _ values: [Value]) {
        self.init(sql, values, together: together)
    }

    /// Creates a command that runs several writes as one statement.
    ///
    /// All writes must have the same `sql`. Returns nil if they have no `together`.
    init?(joining commands: [Command]) {
        guard let first = commands.first, let together = first.together else { return nil }
        let columns = first.values.indices.map { index in
            Value.array(commands.map { $0.values[index] })
        }
        let positions = Value.bigints((0..<commands.count).map(Int64.init))
        self.init(together, columns + [positions], lookup: nil)
    }

    /// Returns whether this command and another one can run as one statement.
    func canBeJoined(with other: Command) -> Bool {
        guard together != nil, values.count == other.values.count else { return false }
        return sql.isSame(as: other.sql)
    }

    /// Returns this write with values that are noted for each row that it has returned.
    ///
    /// The columns of the row must be numbers, which are noted before them.
    package func noting(_ note: [Value]) -> Command {
        var command = self
        command.note = note
        return command
    }

    /// Creates a command that looks up a number, which is `$1`, and can be performed together with
    /// others.
    ///
    /// - Parameters:
    ///   - sql: A statement that returns at most one row.
    ///   - together: The statement that looks up all numbers of an array, which is `$1`, and
    ///     returns the same rows. Each begins with its number.
    ///   - number: The number.
    package init(lookup sql: SQL, together: SQL, _ number: Int64) {
        let lookup = Lookup(sql: together, number: number)
        self.init(sql, [.bigint(number)], lookup: lookup)
    }

    /// Whether it is a read that can be performed together with others.
    var isJoinable: Bool { lookup != nil || isShared }

    /// Returns whether one statement can perform this read and another one.
    func canBeRead(with other: Command) -> Bool {
        if let lookup, let other = other.lookup { return lookup.isSame(as: other) }
        guard isShared, other.isShared, values == other.values else { return false }
        return sql.isSame(as: other.sql)
    }

    /// About the size of the values in their message.
    var byteCount: Int { values.reduce(0) { $0 + $1.byteCount } }
}

/// The name of a prepared statement: `h` and a hash of its text and its types.
///
/// So a name means the same statement, whichever client of a pooler has prepared it.
@safe
struct StatementName {
    let hash: UInt64
    /// The name with a null at the end.
    private let characters: [CChar]

    init(_ command: Command) {
        var hash = FNVHash()
        unsafe command.sql.bytes.forEach { hash.add($0) }
        for value in command.values {
            for shift in stride(from: 0, to: 32, by: 8) {
                hash.add(UInt8(truncatingIfNeeded: value.type >> UInt32(shift)))
            }
        }
        self.hash = hash.value
        characters = "h\(hash.digits)".utf8.map { CChar(bitPattern: $0) } + [0]
    }

    /// Calls `body` with the name as a C string.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result? {
        unsafe characters.withUnsafeBufferPointer { characters in
            unsafe characters.baseAddress.map(body)
        }
    }
}

/// The names of the statements that a thread has used, so that each is hashed once.
///
/// It holds as many as the program has statements. Belongs to one thread.
final class StatementNames {
    private struct Key: Hashable {
        let text: UInt
        let types: UInt64
    }

    private var names: [Key: StatementName] = [:]

    /// Returns the name of the command's statement.
    func name(of command: Command) -> StatementName {
        var types: UInt64 = 1
        for value in command.values { types = types &* 2053 &+ UInt64(value.type) }
        let key = Key(text: command.sql.address, types: types)
        if let name = names[key] { return name }
        let name = StatementName(command)
        names[key] = name
        return name
    }
}
