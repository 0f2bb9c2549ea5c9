/// A store of the identity of an installation of Humon.
package protocol InstallationStore: Sendable {
    /// Returns the UUID of the installation: version 4 (RFC 9562), in lower case.
    ///
    /// A migration has made it at random. Backups and moves keep it. It is read from the database
    /// at the first call only. Failures are as in `UserStore`.
    func uuid() async throws -> String
}
