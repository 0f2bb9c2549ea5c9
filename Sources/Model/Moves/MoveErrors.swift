/// The errors of moves that are the same for all engines.
extension OperatorError {
    /// The error for a target that contains the part of another move.
    package static func otherMove(_ source: String) -> OperatorError {
        OperatorError(
            """
            The target contains a part of a move from \(source). Finish that move, or name an \
            empty database.
            """
        )
    }

    /// The error for a target with records.
    package static let filledTarget = OperatorError(
        """
        The target has records that are not from this move. Name an empty database, so that none \
        of them are lost.
        """
    )

    /// The error for a database without an installation UUID.
    package static let noInstallation = OperatorError(
        "The table installation is empty: another program has changed it. Restore a backup."
    )

    /// The error for a database that lacks a migration.
    ///
    /// `url` is what the advice says to migrate, because it need not be the database of the
    /// settings.
    package static func missing(
        _ migration: String,
        in database: String,
        url: String
    ) -> OperatorError {
        OperatorError(
            """
            The database \(database) lacks migration \(migration). Run \
            `humon migrate --database-url \(url)`.
            """
        )
    }

    /// The error for a database that contains only a part of the records.
    package static func unfinishedMove(_ source: String) -> OperatorError {
        OperatorError(
            """
            This database contains only a part of \(source), because a move is not finished. Run \
            the same `humon move` or `humon restore` again to finish it.
            """
        )
    }
}
