import SQLite

/// A walk through the R*Tree of events, nearest first.
///
/// It reads the nodes of the tree directly, whose format SQLite keeps stable
/// (<https://sqlite.org/rtree.html>, "Shadow Tables"). A node is a blob: its height above the
/// leaves, which only the root has, its number of cells, and the cells with an id and the six
/// bounds of a box, all big-endian. SQLite's own best-first query makes every event a row of a
/// virtual table, which costs as much again as finding it.
///
/// Distances are squared chords of the sphere of radius 1. The bounds are 32-bit floats, rounded
/// outwards, so that the distance to a box is never above the distance to what is in it.
struct TreeWalk {
    private typealias Point = (x: Double, y: Double, z: Double)

    private let origin: Point
    private let cache: EventCache
    private var frontier = NearestFirstQueue()

    /// Starts a walk at the root, for a point on the sphere and with a cache of nodes.
    init(from origin: (x: Double, y: Double, z: Double), cache: EventCache) {
        self.origin = origin
        self.cache = cache
        frontier.insert(
            NearestFirstQueue.Element(distance: 0, id: TreeWalk.rootID, height: TreeWalk.rootHeight)
        )
    }

    /// Returns the id of the next event whose minimum distance is within `bound`, or nil.
    mutating func next(within bound: Double, on connection: Connection) throws -> Int64? {
        while let nearest = frontier.first, nearest.distance <= bound {
            frontier.removeFirst()
            if nearest.height == TreeWalk.eventHeight { return nearest.id }
            try expand(nearest, within: bound, on: connection)
        }
        return nil
    }

    /// A mark for the root, whose node has its height.
    private static let rootHeight = Int.max
    /// The height of events, which are in leaves of height 0.
    private static let eventHeight = -1
    /// A limit that no valid tree exceeds, so that a damaged one can't make the walk endless.
    ///
    /// A node has at least 17 children, so no database of a size that SQLite allows is this high.
    private static let greatestHeight = 10
    private static let rootID: Int64 = 1
    private static let headBytes = 4
    private static let cellBytes = 32

    private mutating func expand(
        _ node: NearestFirstQueue.Element,
        within bound: Double,
        on connection: Connection
    ) throws {
        let bytes = try self.bytes(of: node.id, on: connection)
        // Integers allow all bit patterns.
        guard unsafe insertCells(of: node, bytes.span.bytes, within: bound) else {
            throw SQLiteError(code: .corrupt, message: "node \(node.id) of events_rtree is damaged")
        }
    }

    /// Returns the bytes of a node, or no bytes if it doesn't exist.
    private func bytes(of id: Int64, on connection: Connection) throws -> [UInt8] {
        if let known = cache.node(id) { return known }
        let bytes = try connection.first(
            "SELECT data FROM events_rtree_node WHERE nodeno = ?",
            .integer(id)
        ) { row in row.blob(0) }
        guard let bytes else { return [] }
        let used = TreeWalk.used(bytes)
        cache.insertNode(id, used)
        return used
    }

    /// Returns the bytes of a node without its unused cells, which are most of some nodes.
    private static func used(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= headBytes else { return bytes }
        let cells = Int(bytes[2]) << 8 | Int(bytes[3])
        return Array(bytes.prefix(headBytes + cells * cellBytes))
    }

    /// Adds the contents of a node to the frontier, and returns false if its bytes are invalid.
    private mutating func insertCells(
        of node: NearestFirstQueue.Element,
        _ bytes: RawSpan,
        within bound: Double
    ) -> Bool {
        guard bytes.byteCount >= TreeWalk.headBytes else { return false }
        let isRoot = node.height == TreeWalk.rootHeight
        let height = isRoot ? Int(bytes.integer(at: 0, as: UInt16.self)) : node.height
        let cells = Int(bytes.integer(at: 2, as: UInt16.self))
        guard height <= TreeWalk.greatestHeight,
            TreeWalk.headBytes + cells * TreeWalk.cellBytes <= bytes.byteCount
        else { return false }
        for cell in 0..<cells {
            let start = TreeWalk.headBytes + cell * TreeWalk.cellBytes
            let distance = distance(toBoxAt: start + 8, of: bytes)
            // Only damage makes it NaN, which is not inserted either.
            guard distance <= bound else { continue }
            let id = bytes.integer(at: start, as: Int64.self)
            if height > 0, id == TreeWalk.rootID { return false }
            frontier.insert(
                NearestFirstQueue.Element(distance: distance, id: id, height: height - 1)
            )
        }
        return true
    }

    private func distance(toBoxAt start: Int, of bytes: RawSpan) -> Double {
        let x = bytes.distance(from: origin.x, toIntervalAt: start)
        let y = bytes.distance(from: origin.y, toIntervalAt: start + 8)
        let z = bytes.distance(from: origin.z, toIntervalAt: start + 16)
        return x * x + y * y + z * z
    }
}

extension RawSpan {
    /// Returns the distance of a value from the interval of two 32-bit floats; 0 inside.
    @inline(__always)
    fileprivate func distance(from value: Double, toIntervalAt offset: Int) -> Double {
        let lower = Double(Float(bitPattern: integer(at: offset, as: UInt32.self)))
        let upper = Double(Float(bitPattern: integer(at: offset + 4, as: UInt32.self)))
        return max(max(lower - value, value - upper), 0)
    }

    @inline(__always)
    fileprivate func integer<T: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        as type: T.Type
    ) -> T {
        // The bounds are checked. It is only unsafe because some types have forbidden bit patterns,
        // which integers don't have.
        T(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
