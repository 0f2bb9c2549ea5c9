/// A user, with the numbers of the user's events and attendances.
package struct UserSummary: Equatable, Sendable {
    package let id: Int64
    /// The number of events that the user owns.
    package let eventCount: Int64
    /// The number of events that the user attends.
    package let attendanceCount: Int64
    package let isBanned: Bool
    /// The name that others see; nil without one.
    package let name: String?
    /// The issuers with which the user signs in, each once.
    package let issuers: [String]

    package init(
        id: Int64,
        eventCount: Int64,
        attendanceCount: Int64,
        isBanned: Bool = false,
        name: String? = nil,
        issuers: [String] = []
    ) {
        self.id = id
        self.eventCount = eventCount
        self.attendanceCount = attendanceCount
        self.isBanned = isBanned
        self.name = name
        self.issuers = issuers.reduce(into: []) { list, issuer in
            if !list.contains(issuer) { list.append(issuer) }
        }
    }
}
