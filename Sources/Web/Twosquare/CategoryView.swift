import HTTP
import JSON

/// Names of categories, as a bare array.
enum CategoryView {
    static func response(_ names: [String]) -> Response {
        .json(.ok) { json in json.array(names) { writer, name in writer.value(name) } }
    }
}
