import HTTP
import Model
import Settings
import SignIn
import System
import Time

extension Diagnosis {
    static func machine(_ facts: Facts) -> [Finding] {
        clock(facts) + descriptors(facts) + memory(facts)
            + .ok("versions", "Humon \(Version.current), \(facts.storage.engineVersion)")
    }

    static func signIn(_ keys: [KeyStatus]?) -> [Finding] {
        guard let keys else {
            return .problem(
                "sign-in",
                "a library for AUTH_ISSUERS is missing, so the server can't start",
                "Install libssl3 and libcurl4."
            )
        }
        return keys.flatMap { keys -> [Finding] in
            guard let error = keys.error else {
                return .ok("sign-in", "the keys of \(keys.issuer.name) can be fetched")
            }
            return .problem(
                "sign-in",
                "the keys of \(keys.issuer.name) can't be fetched: \(error)",
                "Check KEYS in AUTH_ISSUERS, and the way to \(keys.issuer.keys)."
            )
        }
    }

    private static func clock(_ facts: Facts) -> [Finding] {
        let text = "the time is \(facts.now.text)"
        let advice = "Set the clock (`timedatectl set-ntp true`)."
        if facts.now < Version.earliestTime {
            return .problem("clock", "\(text), before this version was released", advice)
        }
        if let latest = facts.storage.latestRecord, facts.now < latest {
            return .problem(
                "clock",
                "\(text), earlier than the latest record, \(latest.text)",
                advice
            )
        }
        return facts.machine.clockIsSynchronised == false
            ? .warning("clock", "\(text), but the clock is not synchronised", advice)
            : .ok("clock", text)
    }

    /// The descriptors that the server needs besides its connections.
    ///
    /// They are for the database, the event loops, the log, and connections that it rejects.
    private static let ownDescriptors = 1200

    private static func descriptors(_ facts: Facts) -> [Finding] {
        guard let limit = facts.machine.descriptors else { return [] }
        let connections = facts.configuration.limits.connections
        let text = "\(limit) file descriptors for \(connections) connections"
        let needed = connections + ownDescriptors
        return limit >= needed
            ? .ok("descriptors", text)
            : .warning(
                "descriptors",
                text,
                "Set LimitNOFILE=\(needed) in the systemd unit (or `ulimit -Hn`), or lower "
                    + "LIMIT_CONNECTIONS. This is your shell's limit, not the server's."
            )
    }

    /// The memory of an event without its contents, in bytes.
    private static let bytesOfEvent = 170

    private static func memory(_ facts: Facts) -> [Finding] {
        guard let bytes = facts.machine.memoryBytes else { return [] }
        if let count = facts.storage.eventCount, count > bytes / 2 / bytesOfEvent {
            return .warning(
                "memory",
                "\(count) events take about \(ByteCount.text(count * bytesOfEvent)) without their "
                    + "contents, and the machine has \(ByteCount.text(bytes))",
                "Run the server on a machine with more memory, or raise the limit of its control "
                    + "group."
            )
        }
        // The greatest value that the setting accepts is far from an overflow.
        let cache = facts.configuration.storageLimits.eventCacheMegabytes * 1_000_000
        let text =
            "LIMIT_EVENT_CACHE_MB allows \(ByteCount.text(cache)) for events, and the machine has "
            + "\(ByteCount.text(bytes))"
        return cache <= bytes / 2
            ? .ok("memory", text)
            : .warning("memory", text, "Lower it to half of the machine's memory or less.")
    }
}
