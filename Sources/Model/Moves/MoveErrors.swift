package import Rules

/// The errors of moves that are the same for all engines.
extension OperatorError {
    /// The error for a target with records.
    package static let filledTarget = OperatorError(
        "The target has records. Name an empty database, so that none of them are lost."
    )

    /// The error for a database without an installation UUID.
    package static let noInstallation = OperatorError(
        "The table installation is empty: another program has changed it. Restore a backup."
    )

    /// The error for a source that another process moves.
    package static func moveIsRunning(_ database: String) -> OperatorError {
        OperatorError("A move of \(database) is running. Wait until it has ended.")
    }

    /// The error for a database that contains only a part of the records.
    package static func unfinishedMove(_ source: String) -> OperatorError {
        OperatorError(
            """
            This database doesn't have all records of \(source), because a move or a restore to \
            it was not finished. Run `humon move` or `humon restore` again, which begins anew.
            """
        )
    }
}
