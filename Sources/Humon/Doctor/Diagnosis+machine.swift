import HTTP
import Model

extension Diagnosis {
    static func machine(_ facts: Facts) -> [Finding] {
        let machine = facts.machine
        return [
            clock(facts), descriptors(facts), memory(facts),
            .ok("versions", "Humon \(Version.current), SQLite \(machine.sqliteVersion)"),
        ].compactMap(\.self)
    }

    private static func clock(_ facts: Facts) -> Finding {
        let text = "it shows \(facts.now.text)"
        let advice = "Set the clock (`timedatectl set-ntp true`)."
        if facts.now < Version.earliestTime {
            return .problem("clock", "\(text), before this program was made", advice)
        }
        if let latest = facts.database.latestRecord, facts.now < latest {
            return .problem(
                "clock",
                "\(text), before the latest record was made, \(latest.text)",
                advice
            )
        }
        return facts.machine.clockIsSynchronised == false
            ? .warning("clock", "\(text), and follows no other clock", advice)
            : .ok("clock", text)
    }

    /// What the server needs besides its connections: the database, the event loops, the log, and
    /// connections that it turns away.
    private static let ownDescriptors = 1200

    private static func descriptors(_ facts: Facts) -> Finding? {
        guard let limit = facts.machine.descriptors else { return nil }
        let connections = facts.configuration.limits.connections
        let text = "\(limit) descriptors for \(connections) connections"
        let needed = connections + ownDescriptors
        return limit >= needed
            ? .ok("descriptors", text)
            : .warning(
                "descriptors",
                text,
                "Set LimitNOFILE=\(needed) in the unit of systemd (or `ulimit -Hn`), or lower "
                    + "LIMIT_CONNECTIONS. This is the limit of who looks, not of the server."
            )
    }

    private static func memory(_ facts: Facts) -> Finding? {
        guard let bytes = facts.machine.memoryBytes else { return nil }
        // The greatest number that the setting takes is far from an overflow.
        let cache = facts.configuration.limits.eventCacheMegabytes * 1_000_000
        let text =
            "LIMIT_EVENT_CACHE_MB lets \(ByteCount.text(cache)) of \(ByteCount.text(bytes)) "
            + "be used for events"
        return cache <= bytes / 2
            ? .ok("memory", text)
            : .warning("memory", text, "Lower it to half of the memory or less.")
    }
}
