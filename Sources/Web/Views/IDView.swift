import HTTP
import JSON

/// The id of a stored record.
enum IDView {
    static func response(_ id: Int64) -> Response {
        .json(.ok) { json in json.object { fields in fields.field("id", id) } }
    }
}
