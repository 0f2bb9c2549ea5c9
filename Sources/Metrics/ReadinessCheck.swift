/// The result of one readiness check.
package struct ReadinessCheck: Sendable {
    /// The name, such as `database`.
    package let name: String
    /// The problem, for the operator; nil if there is none.
    package let problem: String?

    /// Creates the result of a check; `problem` is nil if there is none.
    package init(_ name: String, problem: String?) {
        self.name = name
        self.problem = problem
    }
}
