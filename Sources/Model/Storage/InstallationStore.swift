/// A store of the UUID that identifies an installation of Humon.
package protocol InstallationStore: Sendable {
    /// Returns the installation's UUID: version 4 (RFC 9562), in lower case.
    ///
    /// A migration generates it, and backups and moves keep it. Only the first call reads the
    /// database. Throws the same errors as `UserStore`.
    func uuid() async throws -> String
}
