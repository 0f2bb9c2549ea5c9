import SQLite

/// A walk of the R*Tree of events that comes to the nearest ones first.
///
/// It reads the nodes of the tree itself, whose format SQLite keeps stable
/// (<https://sqlite.org/rtree.html>, "Shadow Tables"): a node is a blob of its height above the
/// leaves, told by the root alone, its number of cells, and cells of an id with the six bounds of
/// a box, all big-endian. The tree's own best-first query makes every event it finds a row of a
/// virtual table, which costs as much again as finding it.
///
/// Distances are squared chords of the sphere of radius 1. The bounds are 32-bit floats, rounded
/// outwards, so that the distance to a box is never above the distance to what is in it.
struct TreeWalk {
    private typealias Point = (x: Double, y: Double, z: Double)

    private let origin: Point
    private let cache: EventCache
    private var frontier = NearestFirstQueue()

    /// A walk from a point on the sphere, which starts at the root, of the tree whose nodes the
    /// cache keeps.
    init(from origin: (x: Double, y: Double, z: Double), cache: EventCache) {
        self.origin = origin
        self.cache = cache
        frontier.insert(
            NearestFirstQueue.Element(distance: 0, id: TreeWalk.rootID, height: TreeWalk.rootHeight)
        )
    }

    /// The id of the next event whose distance may be within `bound`, by a lower bound of it; nil
    /// if there is none.
    mutating func next(within bound: Double, on connection: Connection) throws -> Int64? {
        while let nearest = frontier.first, nearest.distance <= bound {
            frontier.removeFirst()
            if nearest.height == TreeWalk.eventHeight { return nearest.id }
            try expand(nearest, within: bound, on: connection)
        }
        return nil
    }

    /// The height that says that only the root itself knows its height.
    private static let rootHeight = Int.max
    /// What lies in a leaf, whose own height is 0.
    private static let eventHeight = -1
    /// A node has 17 children at least, so no database of a size that SQLite allows is as high;
    /// a damaged one must not lead the walk on for ever.
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
        // Any bytes may be looked at as raw ones.
        guard unsafe insertCells(of: node, bytes.span.bytes, within: bound) else {
            throw SQLiteError(code: .corrupt, message: "node \(node.id) of events_rtree is damaged")
        }
    }

    /// The bytes of a node; none if there is no such node.
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

    /// The bytes of a node without the room for more cells, which is most of some nodes.
    private static func used(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= headBytes else { return bytes }
        let cells = Int(bytes[2]) << 8 | Int(bytes[3])
        return Array(bytes.prefix(headBytes + cells * cellBytes))
    }

    /// Puts what a node holds into the frontier; false if its bytes are no node.
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
            // Not if it is NaN either, which nothing but damage makes it.
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
    /// How far a value is outside the interval of two 32-bit floats; 0 inside.
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
        // Checks the bounds; what makes it unsafe is that some types have forbidden bit patterns,
        // which integers do not.
        T(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
