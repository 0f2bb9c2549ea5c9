import CPostgreSQL

extension BlockingConnection {
    /// Appends rows to a table with COPY … FROM STDIN (FORMAT binary).
    ///
    /// - Parameters:
    ///   - command: The statement, which has no values.
    ///   - tuples: The rows as `Row.appendTuple` writes them.
    /// - Throws: `PostgreSQLError`; no row is stored then.
    package func copy(_ command: Command, _ tuples: ArraySlice<UInt8>) throws(PostgreSQLError) {
        guard session.sendUnprepared(command) else { throw session.lossError() }
        guard let begin = session.nextResult() else { throw session.lossError() }
        guard begin.status == HUMON_PGRES_COPY_IN else {
            while session.nextResult() != nil {}
            throw begin.error(in: command.sql)
        }
        for piece in [Self.copyHeader[...], tuples, Self.copyTrailer[...]] {
            try send(piece)
        }
        guard unsafe session.functions.pointee.PQputCopyEnd(session.connection, nil) == 1 else {
            throw session.lossError()
        }
        guard let end = session.nextResult() else { throw session.lossError() }
        while session.nextResult() != nil {}
        guard end.isSuccess else { throw end.error(in: command.sql) }
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(PostgreSQLError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.mostCopyBytes)
            let code = unsafe piece.withUnsafeBytes { memory -> Int32 in
                let start = unsafe memory.assumingMemoryBound(to: CChar.self).baseAddress
                guard let start = unsafe start else { return -1 }
                return unsafe session.functions.pointee.PQputCopyData(
                    session.connection,
                    start,
                    Int32(clamping: memory.count)
                )
            }
            guard code == 1 else { throw session.lossError() }
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
