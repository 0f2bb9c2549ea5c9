/// The parts of an account that an operator can see, without password and tokens.
package struct AccountSummary: Equatable, Sendable {
    package let id: Int64
    package let email: String
    /// Empty if the user gave no name.
    package let name: String
    package let taskCount: Int64
    /// Whether the account has a session.
    package let isSignedIn: Bool

    package init(id: Int64, email: String, name: String, taskCount: Int64, isSignedIn: Bool) {
        self.id = id
        self.email = email
        self.name = name
        self.taskCount = taskCount
        self.isSignedIn = isSignedIn
    }
}
