/// What `humon help import` and `humon help export` say of files.
enum TransferHelp {
    /// The fields of each kind.
    static let fields = """
        Fields (those in brackets may be left out):
          events        [id], owner, name, [address], lat, lon, started_at, [ended_at]
          attendances   [id], event, user
          tasks         [id], email, [title], [completed], [created_at], [updated_at]
          shared-tasks  [id], taskID, name, [completed]
          checkins      [id], nombre, categoria, calificacion, latitud, longitud, usuario,
                        fechaCreacion; each may be left out
        Events can be .ndjson, .csv or .geojson, all others .ndjson alone.
        """

    /// What holds for CSV alone.
    static let csv = """
        CSV: the first line names the columns, in any order, in capitals or not; other columns are
        ignored. Commas part the cells, or semicolons, where numbers may have a decimal comma; tabs
        don't. Lines end with LF or CRLF, not with CR alone. lat and lon are degrees. Times are like
        2030-09-16T12:00:00Z; without an offset they are UTC.
        owner is the id of a user. A name or address that begins with = + - @, a tab or a carriage
        return is exported with an apostrophe before it, unless it is a number, so that a
        spreadsheet does not run it; an import removes the apostrophe.
        """

    /// What an import leaves out.
    static let importing = """
        An import adds records without their history: no tokens of users, no names and passwords of
        accounts. Users and accounts that don't exist are made, and nobody can sign in to them yet.
        A record without an id gets a new one, each time it is imported. With --atomic a server
        beside can't write until the import ends. To move everything, use `humon backup FILE` and
        `humon restore FILE`.
        """

    /// What an export leaves out.
    static let exporting = """
        An export is one kind of record: without users' tokens, accounts' names and passwords, and
        the ids of deleted records, which a new database would use again. To move everything, use
        `humon backup FILE` and `humon restore FILE`.
        """
}
