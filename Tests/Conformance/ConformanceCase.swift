/// Something that every implementation of the stores must do.
package struct ConformanceCase: Sendable {
    package let area: ConformanceArea
    /// The rest of a sentence that begins with "The storage".
    package let name: String
    private let body: @Sendable (ConformanceSubject) async throws -> Void

    init(
        _ area: ConformanceArea,
        _ name: String,
        body: @escaping @Sendable (ConformanceSubject) async throws -> Void
    ) {
        self.area = area
        self.name = name
        self.body = body
    }

    /// Runs the case, which needs an empty database and leaves records in it.
    ///
    /// - Parameter subject: The stores to examine.
    /// - Throws: `ConformanceFailure`, or an error that a store should not have thrown.
    package func run(on subject: ConformanceSubject) async throws {
        try await body(subject)
    }
}

/// The part of the storage that a case is about.
package enum ConformanceArea: String, CaseIterable, Sendable {
    case users
    case events
    case nearest
    case search
    case attendances
    case accounts
    case accountAdministration = "account administration"
    case todoTasks = "todo tasks"
    case sharedTasks = "shared tasks"
    case checkins = "check-ins"
    case installation
    case moderation
    case admins
    case signIns = "sign-ins"
    case changes
    case webhooks
    case transfer
    case values
    case concurrency
    case limits
}

/// The cases of all areas.
package enum ConformanceCases {
    /// All cases, in the order of their areas.
    package static let all: [ConformanceCase] =
        users + events + eventChanges + privateEvents + nearest + nearestTies + search
        + searchedWindows + searchedAreas + changingPages + clusters + attendances + accounts
        + accountAddresses
        + accountSessions + accountAdministration + todoTasks + sharedTasks + checkins
        + installation + moderation + admin + adminLists + adminSearches + deletion + admins
        + signIns + changes + webhooks
        + transfer + transferredKinds
        + imports
        + values
        + concurrency + races
        + limits

    /// The cases of one area.
    package static func all(of area: ConformanceArea) -> [ConformanceCase] {
        all.filter { $0.area == area }
    }
}
