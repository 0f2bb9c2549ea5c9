/// Why a request is refused before the model is asked.
enum RequestError: Error, Equatable {
    /// The body can't be parsed; the text says where and what.
    case malformed(String)
    case unauthorized
    case notFound
    /// The path is known but not with this method; `allow` lists those that are.
    case methodNotAllowed(allow: String)
}
