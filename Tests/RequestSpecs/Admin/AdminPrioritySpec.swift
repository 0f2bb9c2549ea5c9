import Glibc
import Model
import Support
import Testing

/// The priority of the thread that serves `ADMIN_PORT`.
@Suite struct AdminPrioritySpec {
    @Test func `is lower than that of the threads that serve apps`() async throws {
        try await withAdminServer(.socket, backups: PriorityOfThread()) { server in
            let token = try await server.token()

            let list = try await server.send("GET", "/admin/v1/backups", with: token)

            #expect(list == .ok(#"{"items":[],"next":null,"running":false,"fault":"10"}"#))
        }
    }
}

/// Backups whose fault is the nice value of the thread that reads it.
private struct PriorityOfThread: AdminBackups {
    var isRunning: Bool { false }
    var fault: String? { "\(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))" }
    func list() -> [BackupSummary] { [] }
    func begin() -> Bool { false }
    func path(of name: String) -> String? { nil }
}
