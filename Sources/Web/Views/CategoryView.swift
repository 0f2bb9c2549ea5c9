import HTTP
import JSON

/// The names of categories as an array without an enclosing object.
enum CategoryView {
    static func response(_ names: [String]) -> Response {
        .json(.ok) { json in json.array(names) { writer, name in writer.value(name) } }
    }
}
