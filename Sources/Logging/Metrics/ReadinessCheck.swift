/// The result of one readiness check.
package struct ReadinessCheck: Sendable {
    /// The name, such as `database`.
    package let name: String
    /// The problem that the operator should fix; nil if the check passed.
    package let problem: String?

    /// Creates the result of a check; `problem` is nil if it passed.
    package init(_ name: String, problem: String?) {
        self.name = name
        self.problem = problem
    }
}
