import HTTP
import Model

/// Tells which system a POST to /v1/users is meant for, where Humon and Todo are both served.
enum SharedSignUp {
    /// Members of the `user` object that Todo's apps alone send.
    private static let todoMembers = ["email", "password", "name"]

    /// Todo for a `user` object with anything of its own, else Humon for anything of Humon's, else
    /// Todo for the suffix `.json`, and Humon for the rest.
    ///
    /// A body that can't be read tells nothing.
    static func system(of call: Call) -> System {
        let parameters = try? call.parameters()
        if let parameters, todoMembers.contains(where: { parameters["user", $0] != .absent }) {
            return .todo
        }
        let headers = call.request.headers
        if Authentication.fields.contains(where: { headers[$0] != nil }) { return .humon }
        if let parameters, parameters["device_token"] != .absent { return .humon }
        return hasSuffix(call.request.path) ? .todo : .humon
    }

    /// Whether a path, which the router has taken for this one, ends with `.json`.
    private static func hasSuffix(_ path: String) -> Bool {
        let segment = path.split(separator: "/").last.map(String.init) ?? ""
        return PercentEncoding.decodedSegment(segment.utf8.span)?.hasSuffix(".json") == true
    }
}
