/// A cache of what a reader has read, valid until the database changes.
package protocol SnapshotCache: AnyObject {
    /// Empties the cache, because the database has changed.
    func removeAll()
}
