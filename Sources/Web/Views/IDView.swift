import HTTP
import JSON

/// The id of a stored record.
enum IDView {
    static func response(_ id: Int64) -> Response {
        .object(.ok) { $0.field("id", id) }
    }
}
