package import Logging
package import Model
import System

/// The parts of the program that the admin server needs.
package struct AdminSurroundings: Sendable {
    /// The host names of the page behind a proxy, in lower case.
    package var hosts: [String] = []
    /// The port, for advice about tunnels.
    package var port: UInt16 = 3001
    /// Whether the database is on a server of its own.
    package var isPostgreSQL = false
    /// Checks within a few seconds whether the server can work.
    package var readiness: @Sendable () async -> [ReadinessCheck]
    /// Appends all metrics.
    package var measure: @Sendable (inout MetricsText) async -> Void
    /// Returns the state of the server for the overview.
    package var overview: @Sendable () async -> ServerOverview
    /// The settings in effect.
    package var settings: [EffectiveSetting] = []
    /// The backups; nil if the database is on a server of its own.
    package var backups: (any AdminBackups)?
    /// Returns the monotonic time in µs.
    package var now: @Sendable () -> Int64 = { MonotonicClock.microseconds() }

    /// Creates the surroundings of a server without settings and backups.
    package init(
        readiness: @escaping @Sendable () async -> [ReadinessCheck],
        measure: @escaping @Sendable (inout MetricsText) async -> Void,
        overview: @escaping @Sendable () async -> ServerOverview
    ) {
        self.readiness = readiness
        self.measure = measure
        self.overview = overview
    }
}
