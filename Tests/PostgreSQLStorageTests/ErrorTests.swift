import PostgreSQL
import Rules
import Testing

@testable import PostgreSQLStorage

/// What clients hear of the errors of PostgreSQL.
@Suite struct ErrorTests {
    private static let busy = "The storage is busy. Try again in a moment."

    @Test(
        arguments: [
            ("53100", "The storage is full."), ("25006", "The storage cannot be written to."),
            ("57014", busy), ("55P03", busy), ("40001", busy), ("40P01", busy),
            ("HM001", "The data is being moved. Try again in a moment."),
            ("08006", "The storage cannot be reached."),
            ("57P01", "The storage cannot be reached."),
            ("57P03", "The storage cannot be reached."),
            ("53300", "The storage cannot be reached."),
            ("53200", "The storage cannot be reached."),
            ("58030", "The storage cannot be reached."),
        ]
    )
    func makeTheStorageUnavailable(state: String, reason: String) {
        let error = PostgreSQLError(
            .rejected,
            state: SQLState(rawValue: state),
            message: "the cause"
        )

        guard case .unavailable(reason, let cause)? = modelError(for: error) as? ModelError else {
            Issue.record("\(modelError(for: error))")
            return
        }
        #expect(cause?.contains("the cause") != false)
        #expect(reason != Self.busy || cause == "PostgreSQL error \(state): the cause")
    }

    @Test(arguments: ["22003", "23505", "23503", "23514", "42P01", "XX000", "99999"])
    func areErrorsOfTheStorage(state: String) {
        let error = PostgreSQLError(
            .rejected,
            state: SQLState(rawValue: state),
            message: "the cause"
        )

        #expect(modelError(for: error) as? ModelError == .storage(cause: error.description))
        #expect(error.isRefusal == ["22", "23"].contains(state.prefix(2)))
    }

    @Test(
        arguments: [
            (PostgreSQLError.Kind.unreachable, "The storage cannot be reached."),
            (.timedOut, busy), (.stopped, "The server is shutting down."),
            (.unknownOutcome, "It is not known whether the change was stored."),
        ]
    )
    func ofConnectionsMakeTheStorageUnavailable(kind: PostgreSQLError.Kind, reason: String) {
        let error = modelError(for: PostgreSQLError(kind, message: "the cause"))

        guard case .unavailable(let actual, _)? = error as? ModelError else {
            Issue.record("\(error)")
            return
        }
        #expect(actual == reason)
    }

    @Test func anOutageThatIsLoggedIsNotLoggedAgain() {
        let error = PostgreSQLError(.unreachable, message: "the cause", isReported: true)

        #expect(
            modelError(for: error) as? ModelError
                == .unreachable(cause: "PostgreSQL error: the cause")
        )
    }

    @Test func aFullQueueIsOverload() {
        let error = modelError(for: PostgreSQLError(.overloaded, message: "the cause"))

        guard case .overloaded? = error as? ModelError else {
            Issue.record("\(error)")
            return
        }
    }
}
