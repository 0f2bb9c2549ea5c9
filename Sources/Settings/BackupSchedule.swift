package import Time

/// When scheduled backups start, in UTC.
package enum BackupSchedule: Equatable, Sendable {
    case off
    /// Every day, this many minutes after midnight.
    case daily(minute: Int)
    /// At multiples of this many minutes since 1970, so that a restart doesn't delay it.
    case every(minutes: Int)

    private static let minutesPerDay = 1440
    private static let millisecondsPerMinute: Int64 = 60_000
    /// From one minute to thirty days.
    private static let intervals = 1...43_200

    /// Parses `off`, a time of day such as `03:00`, or an interval such as `30m` or `6h`.
    ///
    /// Returns nil for anything else.
    package init?(_ text: String) {
        if text.lowercased() == "off" {
            self = .off
        } else if let minute = Self.timeOfDay(text) {
            self = .daily(minute: minute)
        } else if let minutes = Self.interval(text.lowercased()) {
            self = .every(minutes: minutes)
        } else {
            return nil
        }
    }

    /// The schedule in the form that `init` parses.
    package var text: String {
        switch self {
        case .off: "off"
        case .daily(let minute): Self.padded(minute / 60) + ":" + Self.padded(minute % 60)
        case .every(let minutes): minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
        }
    }

    /// The minutes between two backups, and those from the start of 1970 to a backup.
    private var cycle: (minutes: Int, offset: Int)? {
        switch self {
        case .off: nil
        case .daily(let minute): (Self.minutesPerDay, minute)
        case .every(let minutes): (minutes, 0)
        }
    }

    /// The time between two backups, in ms; nil if the schedule is off.
    package var periodMilliseconds: Int64? {
        cycle.map { Int64($0.minutes) * Self.millisecondsPerMinute }
    }

    /// Returns the first time after `instant` at which a backup is due, or nil if the schedule is
    /// off.
    package func next(after instant: Timestamp) -> Timestamp? {
        guard let cycle, let period = periodMilliseconds else { return nil }
        let start = Int64(cycle.offset) * Self.millisecondsPerMinute
        let instant = min(max(instant, .earliest), .latest).milliseconds
        // Rounded down, even before 1970.
        let remainder = (instant - start) % period
        let sincePrevious = remainder < 0 ? remainder + period : remainder
        return Timestamp(milliseconds: instant - sincePrevious + period)
    }

    private static func timeOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
            let hour = Setting.decimal(String(parts[0])),
            let minute = Setting.decimal(String(parts[1])), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func interval(_ text: String) -> Int? {
        guard let number = Setting.decimal(String(text.dropLast())) else { return nil }
        let factor: Int
        switch text.last {
        case "m": factor = 1
        case "h": factor = 60
        default: return nil
        }
        let (minutes, overflow) = number.multipliedReportingOverflow(by: factor)
        return !overflow && intervals.contains(minutes) ? minutes : nil
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
