/// Keeps check-ins.
///
/// Failures are as in `UserStore`.
package protocol CheckinStore: Sendable {
    func add(_ checkin: Checkin) async throws

    /// The newest check-ins, `limit` at most, the oldest of them first.
    func newest(limit: Int) async throws -> [StoredCheckin]

    /// The categories in use, sorted by their code points, `limit` at most.
    func categories(limit: Int) async throws -> [String]
}
