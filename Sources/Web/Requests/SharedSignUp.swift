import HTTP
import Model
import Rules

/// The system of a request to a path that Humon and Todo share, if both are enabled.
enum SharedSignUp {
    /// The members of the `user` object that only Todo's apps send.
    private static let todoMembers = ["email", "password", "name"]

    /// Returns the system of a call, by the first of these that applies.
    ///
    /// A request for changes names the tasks of Todo. For a sign-up,
    /// it is Todo if the `user` object has one of its members, Humon if anything specific to Humon
    /// is sent, Todo if the path ends with `.json`, and otherwise Humon. A body that can't be
    /// parsed is ignored.
    static func system(of call: Call) -> ServedSystem {
        let parameters = try? call.parameters()
        if call.request.method != .post {
            return parameters?["tasks"].isBlank == false ? .todo : .humon
        }
        if let parameters, todoMembers.contains(where: { parameters["user", $0] != .absent }) {
            return .todo
        }
        let headers = call.request.headers
        if Authentication.fields.contains(where: { headers[$0] != nil }) { return .humon }
        if let parameters, parameters["device_token"] != .absent { return .humon }
        return call.namesJSON ? .todo : .humon
    }
}
