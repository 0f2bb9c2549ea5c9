package import HTTP

extension EventualResponse {
    /// The response, once it is made.
    package var response: Response {
        get async {
            switch self {
            case .now(let response): response
            case .later(_, let respond): await respond()
            }
        }
    }
}
