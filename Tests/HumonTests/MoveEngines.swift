import Model
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

/// What happens in a move, by the numbers of the changes of its target.
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

    func change(_ body: () throws -> Void) throws {
        let number = state.withLock { number in
            number -= 1
            return number
        }
        try onChange(number)
        if number == 0, !isAfter { throw Failure() }
        try body()
        if number == 0, isAfter { throw Failure() }
    }
}

private struct FaultyDatabase: MovableDatabase {
    private let database: any MovableDatabase
    private let faults: MoveFaults

    init(_ database: any MovableDatabase, _ faults: MoveFaults) {
        self.database = database
        self.faults = faults
    }

    func prepareSource() throws { try database.prepareSource() }
    func identity() throws -> String { try database.identity() }
    func isClosed() throws -> Bool { try database.isClosed() }
    func close() throws { try database.close() }
    func reopen() throws { try database.reopen() }
    func moveState() throws -> MoveState { try database.moveState() }

    func makeReader(of content: MoveContent) throws -> any MoveReader {
        try database.makeReader(of: content)
    }

    func makeTarget(for source: MoveOrigin) throws -> any MoveTarget {
        FaultyTarget(try database.makeTarget(for: source), faults)
    }
}

private final class FaultyTarget: MoveTarget {
    private let target: any MoveTarget
    private let faults: MoveFaults

    init(_ target: any MoveTarget, _ faults: MoveFaults) {
        self.target = target
        self.faults = faults
    }

    func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        limit: Int
    ) throws -> MovedRows {
        try target.rows(of: table, after: id, through: last, limit: limit)
    }

    func extent(of table: MovedTable) throws -> (count: Int64, greatestID: Int64) {
        try target.extent(of: table)
    }

    func nextID(of table: MovedTable) throws -> Int64 { try target.nextID(of: table) }
    func installation() throws -> String { try target.installation() }
    func copiedID(of table: MovedTable) throws -> Int64? { try target.copiedID(of: table) }

    func append(_ rows: MovedRows, to table: MovedTable) throws {
        try faults.change { try target.append(rows, to: table) }
    }

    func deleteRows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        except ids: [Int64]
    ) throws {
        try faults.change {
            try target.deleteRows(of: table, after: id, through: last, except: ids)
        }
    }

    func store(_ rows: MovedRows, in table: MovedTable) throws {
        try faults.change { try target.store(rows, in: table) }
    }

    func setNextID(_ id: Int64, of table: MovedTable) throws {
        try faults.change { try target.setNextID(id, of: table) }
    }

    func setInstallation(_ uuid: String) throws {
        try faults.change { try target.setInstallation(uuid) }
    }

    func optimize() throws { try faults.change { try target.optimize() } }

    func finish() throws {
        // It releases its files, whether it fails or not.
        try target.finish()
        try faults.change {}
    }
}
