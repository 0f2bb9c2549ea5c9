import Model

/// Names the release that this binary is.
package enum Version {
    /// Follows semantic versioning, <https://semver.org>.
    package static let current = "0.1.0"
    /// No clock that is right shows less: the beginning of the year of this release.
    static let earliestTime = Timestamp(milliseconds: 1_767_225_600_000)
}
