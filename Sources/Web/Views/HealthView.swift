import HTTP
import JSON
import Logging

/// The health of the server: 200 if all checks pass, otherwise 503 with the problems.
enum HealthView {
    static func response(_ checks: [ReadinessCheck]) -> Response {
        let isWell = checks.allSatisfy { $0.problem == nil }
        return .object(isWell ? .ok : .serviceUnavailable) { fields in
            fields.field("status", isWell ? "ok" : "unavailable")
            guard !checks.isEmpty else { return }
            fields.object("checks") { list in
                for check in checks {
                    list.key(text: check.name)
                    list.value(check.problem ?? "ok")
                }
            }
        }
    }
}
