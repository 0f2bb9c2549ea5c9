import CSQLite

extension Connection {
    /// Makes `nearest(x, y, z, limit)` known to R*Trees of three dimensions: `id MATCH nearest(…)`
    /// gives the boxes whose squared distance from the point is at most `limit`, nearest first.
    ///
    /// The score of a box is the squared distance from the point to the box, which no point inside
    /// it can be below; so the tree, which expands what has the lowest score first, yields its
    /// entries in order (<https://sqlite.org/rtree.html#the_new_xqueryfunc_callback>).
    func registerNearest() throws(SQLiteError) {
        try handle.check(
            unsafe sqlite3_rtree_query_callback(
                handle.pointer, "nearest", { unsafe scoreBox($0) }, nil, nil))
    }
}

/// Scores one box of the tree; called some hundred times in a query.
private func scoreBox(_ info: UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32 {
    // SQLite passes as many parameters and coordinates as it says and lets them be read until
    // the return.
    guard let info = unsafe info, unsafe info.pointee.nParam == 4, unsafe info.pointee.nCoord == 6,
        let parameters = unsafe info.pointee.aParam, let box = unsafe info.pointee.aCoord
    else { return SQLITE_ERROR }

    let x = unsafe distance(from: parameters[0], toInterval: box[0], box[1])
    let y = unsafe distance(from: parameters[1], toInterval: box[2], box[3])
    let z = unsafe distance(from: parameters[2], toInterval: box[4], box[5])
    let score = x * x + y * y + z * z
    unsafe info.pointee.rScore = score
    unsafe info.pointee.eWithin =
        score <= parameters[3] ? Int32(PARTLY_WITHIN) : Int32(NOT_WITHIN)
    return SQLITE_OK
}

@inline(__always)
private func distance(from x: Double, toInterval lower: Double, _ upper: Double) -> Double {
    max(max(lower - x, x - upper), 0)
}
