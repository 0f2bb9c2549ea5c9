/// The notes of `humon help import` and `humon help export`.
enum TransferHelp {
    /// The fields of each kind of record.
    static let fields = """
        Fields (those in brackets are optional):
          events        [id], owner, name, [address], lat, lon, started_at, [ended_at]
          attendances   [id], event, user
          tasks         [id], email, [title], [completed], [created_at], [updated_at]
          shared-tasks  [id], taskID, name, [completed]
          checkins      [id], nombre, categoria, calificacion, latitud, longitud, usuario,
                        fechaCreacion; each is optional
        Events can be .ndjson, .csv or .geojson. All other records are .ndjson.
        """

    /// The rules for CSV files.
    static let csv = """
        CSV: the first line names the columns, in any order and in any case; other columns are
        ignored. Columns are separated by commas or semicolons, not by tabs. With semicolons, lat
        and lon can have a decimal comma. Lines end with LF or CRLF. lat and lon are degrees. Times
        are like 2030-09-16T12:00:00Z; without an offset they are UTC. owner is the id of a user.
        Spreadsheets run cells that begin with = + - @, a tab or a carriage return as formulas, so
        an export writes an apostrophe before such a name or address, unless it is a number. An
        import removes the apostrophe.
        """

    /// What an import doesn't contain.
    static let importing = """
        Imports contain no tokens, account names or passwords. Missing users and accounts are
        created, but nobody can sign in to them yet. A record without an id gets a new one each time
        it is imported. With --atomic, a running server can't write until the import ends. To move
        everything, use `humon backup FILE` and `humon restore FILE`.
        """

    /// What an export doesn't contain.
    static let exporting = """
        An export contains records of one kind, without tokens, account names or passwords, and
        without the ids of deleted records, which a new database would use again. To move
        everything, use `humon backup FILE` and `humon restore FILE`.
        """
}
