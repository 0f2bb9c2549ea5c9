/// Names the release that this binary is.
package enum Version {
    /// Follows semantic versioning, <https://semver.org>.
    package static let current = "0.1.0"
}
