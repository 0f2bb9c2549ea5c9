import Time

/// The version of this program.
package enum Version {
    /// A semantic version, <https://semver.org>.
    package static let current = "0.1.0"
    /// The start of the year of this release; no correct clock shows an earlier time.
    static let earliestTime = Timestamp(milliseconds: 1_767_225_600_000)
}
