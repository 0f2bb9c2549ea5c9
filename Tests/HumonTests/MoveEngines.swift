import Model
import Rules
import System

/// An engine whose database fails in a move, or runs code in it.
struct FaultyEngine: StorageEngine {
    private let engine: any StorageEngine
    private let faults: MoveFaults

    init(_ engine: any StorageEngine, _ faults: MoveFaults) {
        self.engine = engine
        self.faults = faults
    }

    var moves: any MovableDatabase { FaultyDatabase(engine.moves, faults) }

    var name: String { engine.name }
    var files: any DatabaseFiles { engine.files }
    var isReadOnly: Bool { engine.isReadOnly }
    func check() throws { try engine.check() }
    func isEmpty() throws -> Bool { try engine.isEmpty() }

    func open(
        for purpose: StoragePurpose,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws -> any Storage {
        try engine.open(for: purpose, observe: observe)
    }

    func migrate(observe: (StorageEvent) -> Void) throws -> [String] {
        try engine.migrate(observe: observe)
    }

    func migrations() throws -> [StorageMigration] { try engine.migrations() }

    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try engine.exportRecords(job)
    }

    func facts(isFull: Bool) -> StorageFacts { engine.facts(isFull: isFull) }
    func makeCopier() -> any StorageCopier { engine.makeCopier() }
}

/// What happens in a move, by the numbers of its changes.
final class MoveFaults: Sendable {
    struct Failure: Error {}

    private let state: Mutex<Int>
    private let isAfter: Bool
    private let onChange: @Sendable (Int) throws -> Void

    /// Makes the change with this number fail, before or after it has been made.
    ///
    /// `onChange` is called before each change with its number.
    init(
        failing number: Int,
        isAfter: Bool = false,
        onChange: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
        state = Mutex(number)
        self.isAfter = isAfter
        self.onChange = onChange
    }

    func change<T>(_ body: () throws -> T) throws -> T {
        let number = state.withLock { number in
            number -= 1
            return number
        }
        try onChange(number)
        if number == 0, !isAfter { throw Failure() }
        let result = try body()
        if number == 0, isAfter { throw Failure() }
        return result
    }
}

private struct FaultyDatabase: MovableDatabase {
    private let database: any MovableDatabase
    private let faults: MoveFaults

    init(_ database: any MovableDatabase, _ faults: MoveFaults) {
        self.database = database
        self.faults = faults
    }

    func isClosed() throws -> Bool { try database.isClosed() }
    func reopen() throws { try database.reopen() }
    func moveState() throws -> MoveState { try database.moveState() }
    func makeReader() throws -> any MovedRecords { try database.makeReader() }

    func makeSource() throws -> any MovedRecords {
        FaultyRecords(try database.makeSource(), faults)
    }

    func makeTarget(for source: String) throws -> any MovedRecords {
        FaultyRecords(try faults.change { try database.makeTarget(for: source) }, faults)
    }
}

private final class FaultyRecords: MovedRecords {
    private let records: any MovedRecords
    private let faults: MoveFaults

    init(_ records: any MovedRecords, _ faults: MoveFaults) {
        self.records = records
        self.faults = faults
    }

    func rows(of table: Table, after id: Int64, limit: Int) throws -> [[ColumnValue]] {
        try records.rows(of: table, after: id, limit: limit)
    }

    func count() throws -> Int { try records.count() }
    func nextID(of table: Table) throws -> Int64 { try records.nextID(of: table) }

    func append(_ rows: [[ColumnValue]], to table: Table) throws {
        try faults.change { try records.append(rows, to: table) }
    }

    func setNextID(_ id: Int64, of table: Table) throws {
        try faults.change { try records.setNextID(id, of: table) }
    }

    func finish() throws { try faults.change { try records.finish() } }
}
