import CPostgreSQL
import Glibc
import System

/// A connection of libpq and the statements that are prepared on it.
///
/// One thread uses it at a time. The connecting thread hands it over under a lock, and does not use
/// it afterwards.
@safe
final class Session: Sendable {
    /// The prepared statements of a connection, and the memory for bound values.
    private struct Statements {
        /// The hashes of the statements' names that are prepared or being prepared on the server.
        var prepared: Set<UInt64> = []
        let names = StatementNames()
        let parameters = ParameterBuffer()
    }

    // Pointers are not Sendable. This one is safe, because only the thread that owns the session
    // uses it.
    nonisolated(unsafe) let connection: OpaquePointer
    // The compiler can't check variables without a lock. This one is safe for the same reason.
    nonisolated(unsafe) private var statements = Statements()
    let library: Libpq
    /// Whether statements are prepared under names.
    let preparesStatements: Bool
    /// Counts the connection as open, if anything does.
    private let counter = Mutex<ConnectionCounter?>(nil)

    /// Takes over a connection that is open.
    init(_ connection: OpaquePointer, _ library: Libpq, preparesStatements: Bool) {
        self.library = library
        unsafe self.connection = connection
        self.preparesStatements = preparesStatements
        // The library would write what the server says to standard error.
        _ = unsafe functions.pointee.PQsetNoticeReceiver(connection, { _, _ in }, nil)
    }

    deinit {
        counter.withLock { $0 }?.noteClosing()
        unsafe functions.pointee.PQfinish(connection)
    }

    var functions: UnsafePointer<HumonLibPQ> { unsafe library.functions }

    /// Counts the connection as open until it is closed.
    func count(by counter: ConnectionCounter) {
        counter.noteOpening()
        self.counter.withLock { $0 = counter }
    }

    /// Whether the connection is lost, as far as libpq knows.
    var isLost: Bool {
        unsafe functions.pointee.PQstatus(connection) != HUMON_CONNECTION_OK
    }

    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool {
        unsafe functions.pointee.PQtransactionStatus(connection)
            == HUMON_PQTRANS_INTRANS
    }

    /// Whether it is connected, and no transaction is open.
    var isIdle: Bool {
        unsafe functions.pointee.PQtransactionStatus(connection)
            == HUMON_PQTRANS_IDLE
    }

    /// Whether a transaction is open and has failed.
    var hasFailedTransaction: Bool {
        unsafe functions.pointee.PQtransactionStatus(connection)
            == HUMON_PQTRANS_INERROR
    }

    /// Ends the connection, so that everything that uses it fails.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whether the connection uses TLS.
    var isEncrypted: Bool { unsafe functions.pointee.PQsslInUse(connection) == 1 }

    /// The number of the version of the server, such as 150018; 0 if it is unknown.
    var versionNumber: Int { Int(unsafe functions.pointee.PQserverVersion(connection)) }

    /// The process id that the other end has reported at the start.
    var processID: Int64 { Int64(unsafe functions.pointee.PQbackendPID(connection)) }

    /// The name or address of the connection's host, and its port.
    var host: (name: String, port: String) {
        let name = unsafe functions.pointee.PQhost(connection)
        let port = unsafe functions.pointee.PQport(connection)
        return (
            unsafe name.map { unsafe String(cString: $0) } ?? "",
            unsafe port.map { unsafe String(cString: $0) } ?? ""
        )
    }

    /// The descriptor of the connection's socket.
    var descriptor: Int32 { unsafe functions.pointee.PQsocket(connection) }

    /// Returns a parameter that the server has reported, such as `server_encoding`.
    func parameter(_ name: String) -> String? {
        guard let value = unsafe functions.pointee.PQparameterStatus(connection, name) else {
            return nil
        }
        return unsafe String(cString: value)
    }

    /// The error for a connection that libpq can't use.
    func lossError() -> PostgreSQLError {
        PostgreSQLError(.unreachable, message: unsafe Self.message(functions, connection))
    }

    /// Makes all calls return at once, and lets commands be sent without waiting for results.
    ///
    /// Returns whether the connection is still usable.
    func beginPipeline() -> Bool {
        unsafe functions.pointee.PQsetnonblocking(connection, 1) == 0
            && functions.pointee.PQenterPipelineMode(connection) == 1
    }

    /// Queues the end of what shares an error; false if the connection is lost.
    func sync() -> Bool {
        unsafe functions.pointee.PQpipelineSync(connection) == 1
    }

    /// The progress of sending what is queued.
    enum Progress {
        case finished, unfinished, failed
    }

    /// Sends what is queued, as far as the socket accepts it.
    func flush() -> Progress {
        switch unsafe functions.pointee.PQflush(connection) {
        case 0: .finished
        case 1: .unfinished
        default: .failed
        }
    }

    /// Reads what has arrived; false if the connection is lost.
    func consumeInput() -> Bool {
        unsafe functions.pointee.PQconsumeInput(connection) == 1
    }

    /// Whether `nextResult` would wait.
    var isBusy: Bool {
        unsafe functions.pointee.PQisBusy(connection) == 1
    }

    /// Returns the payloads of the notifications that have arrived.
    func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = unsafe functions.pointee.PQnotifies(connection) {
            if let payload = unsafe notification.pointee.extra {
                payloads.append(unsafe String(cString: payload))
            }
            unsafe functions.pointee.PQfreemem(notification)
        }
        return payloads
    }

    /// Asks the server to cancel what the connection does; blocks until it has heard.
    func cancel() {
        guard let request = unsafe functions.pointee.PQgetCancel(connection) else { return }
        // Nothing can be done about a failure. The connection is closed anyway.
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe functions.pointee.PQcancel(request, &message, Int32(message.count))
        unsafe functions.pointee.PQfreeCancel(request)
    }

    /// Returns libpq's message about a connection, in one line.
    @unsafe
    static func message(_ functions: UnsafePointer<HumonLibPQ>, _ connection: OpaquePointer)
        -> String
    {
        guard let text = unsafe functions.pointee.PQerrorMessage(connection) else { return "" }
        let lines = unsafe String(cString: text).split(separator: "\n")
        let message = lines.map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
        return message.isEmpty ? "the connection was lost" : message
    }

    // MARK: Sending

    /// Returns whether a command must be preceded by `sendPrepare`.
    func mustPrepare(_ command: Command) -> Bool {
        guard preparesStatements else { return false }
        let name = unsafe statements.names.name(of: command)
        return unsafe !statements.prepared.contains(name.hash)
    }

    /// Queues the preparation of a command's statement; false if the connection is lost.
    func sendPrepare(_ command: Command) -> Bool {
        let name = unsafe statements.names.name(of: command)
        unsafe statements.prepared.insert(name.hash)
        return unsafe statements.parameters.withArguments(command.values) { arguments in
            unsafe name.withCString { name in
                unsafe functions.pointee.PQsendPrepare(
                    connection,
                    name,
                    command.sql.characters,
                    arguments.count,
                    arguments.types
                ) == 1
            }
        } ?? false
    }

    /// Queues a command, whose statement is prepared; false if the connection is lost.
    func sendQuery(_ command: Command) -> Bool {
        unsafe statements.parameters.withArguments(command.values) { arguments in
            guard preparesStatements else {
                return unsafe functions.pointee.PQsendQueryParams(
                    connection,
                    command.sql.characters,
                    arguments.count,
                    arguments.types,
                    arguments.values,
                    arguments.lengths,
                    arguments.formats,
                    1
                ) == 1
            }
            return unsafe statements.names.name(of: command).withCString { name in
                unsafe functions.pointee.PQsendQueryPrepared(
                    connection,
                    name,
                    arguments.count,
                    arguments.values,
                    arguments.lengths,
                    arguments.formats,
                    1
                ) == 1
            } ?? false
        }
    }

    /// Forgets that the server knows a command's statement.
    func forget(_ command: Command) {
        let name = unsafe statements.names.name(of: command)
        unsafe statements.prepared.remove(name.hash)
    }

    /// Returns the next result of libpq, nil at the end of a command's results.
    func nextResult() -> QueryResult? {
        guard let result = unsafe functions.pointee.PQgetResult(connection) else { return nil }
        return unsafe QueryResult(result, library)
    }
}
