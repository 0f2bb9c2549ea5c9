import CPostgreSQL

extension Session {
    /// Appends rows to a table with COPY … FROM STDIN (FORMAT binary), and waits for the end.
    ///
    /// - Parameters:
    ///   - command: The statement, which has no values.
    ///   - tuples: The rows as `Row.appendTuple` writes them.
    /// - Throws: `PostgreSQLError`; no row is stored then.
    func copy(_ command: Command, _ tuples: ArraySlice<UInt8>) throws(PostgreSQLError) {
        guard sendUnprepared(command) else { throw lossError() }
        guard let begin = nextResult() else { throw lossError() }
        guard begin.status == HUMON_PGRES_COPY_IN else {
            while nextResult() != nil {}
            throw begin.error(in: command.sql)
        }
        for piece in [Self.copyHeader[...], tuples, Self.copyTrailer[...]] {
            try send(piece)
        }
        guard unsafe functions.pointee.PQputCopyEnd(connection, nil) == 1 else {
            throw lossError()
        }
        guard let end = nextResult() else { throw lossError() }
        while nextResult() != nil {}
        guard end.isSuccess else { throw end.error(in: command.sql) }
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(PostgreSQLError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.mostCopyBytes)
            let code = unsafe piece.withUnsafeBytes { memory -> Int32 in
                let start = unsafe memory.assumingMemoryBound(to: CChar.self).baseAddress
                guard let start = unsafe start else { return -1 }
                return unsafe functions.pointee.PQputCopyData(
                    connection,
                    start,
                    Int32(clamping: memory.count)
                )
            }
            guard code == 1 else { throw lossError() }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// libpq keeps one piece in memory.
    private static let mostCopyBytes = 1 << 20
    /// The signature, no flags, and no extension.
    private static let copyHeader: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    private static let copyTrailer: [UInt8] = [0xFF, 0xFF]
}
