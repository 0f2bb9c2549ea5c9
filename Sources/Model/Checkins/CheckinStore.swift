/// A store of check-ins.
///
/// Failures are as in `UserStore`.
package protocol CheckinStore: Sendable {
    /// Stores a check-in, and returns its id.
    @discardableResult
    func add(_ checkin: Checkin) async throws -> Int64

    /// Returns the newest check-ins, at most `limit`, oldest first.
    func newest(limit: Int) async throws -> [CheckinRecord]

    /// Returns the categories in use, at most `limit`, sorted by their code points.
    func categories(limit: Int) async throws -> [String]
}
