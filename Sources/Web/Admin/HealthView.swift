import HTTP
import JSON

/// How the server is: 200 if every check is passed, else 503 and what is wrong.
enum HealthView {
    static func response(_ checks: [ReadinessCheck]) -> Response {
        let isWell = checks.allSatisfy { $0.problem == nil }
        return .json(isWell ? .ok : .serviceUnavailable) { json in
            json.object { fields in
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
}
