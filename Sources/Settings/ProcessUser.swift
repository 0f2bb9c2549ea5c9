/// A user and a group of the system, by their numbers; neither is root.
package struct ProcessUser: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32

    /// Parses numbers such as `10001:10001`; nil for root and for anything else.
    init?(_ text: String) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
            Setting.decimal(String(part)).flatMap { UInt32(exactly: $0) }
        }
        // The highest number means "unchanged" to the system.
        guard numbers.count == 2, let user = numbers[0], let group = numbers[1],
            user > 0, group > 0, user < .max, group < .max
        else { return nil }
        self.user = user
        self.group = group
    }

    /// The numbers as in the setting.
    var text: String { "\(user):\(group)" }
}
