/// What a reader keeps of what it has read, for as long as the database does not change.
package protocol SnapshotCache: AnyObject {
    /// Forgets everything: the database has changed.
    func removeAll()
}
