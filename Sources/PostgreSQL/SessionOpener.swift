import CPostgreSQL
import Glibc
import System

/// Opens connections; each call blocks until it has tried all hosts.
struct SessionOpener: Sendable {
    let url: ConnectionURL
    let purpose: ConnectionURL.Purpose
    let preparesStatements: Bool
    /// Whether to set the server's settings at the start of each connection.
    var sendsOptions = true
    /// Whether to connect to a host that accepts no writes if no other can be reached.
    var acceptsReadOnly = false

    /// The time to find out the code of a failure, in ms.
    private static let diagnosisMilliseconds: Int64 = 2000

    /// An open connection.
    struct Connected: Sendable {
        let session: Session
        /// Whether the server's settings were rejected, as pgbouncer does.
        let lacksOptions: Bool
    }

    /// Connects to the first host that suits.
    ///
    /// If the server doesn't know the parameter `options`, it connects again without it.
    func connect() throws -> Connected {
        guard sendsOptions else {
            return Connected(session: try connect(hasOptions: false), lacksOptions: true)
        }
        do {
            return Connected(session: try connect(hasOptions: true), lacksOptions: false)
        } catch let error as PostgreSQLError where error.state == .protocolViolation {
            return Connected(session: try connect(hasOptions: false), lacksOptions: true)
        }
    }

    /// The statements that have the same effect as the settings of a connection.
    var settingsAdvice: String { url.settingsAdvice(for: purpose) }

    /// Whether the other end of a connection in pipeline mode has the settings, for example because
    /// they were set for the role.
    func hasSettings(_ session: Session) -> Bool {
        guard
            let results = try? Exchange.perform(
                [Command(Self.selectSettings)],
                on: session,
                patience: Self.diagnosisMilliseconds
            ), let result = results.first, result.isSuccess
        else { return false }
        let pairs = Rows(result).compactMap { row in
            (try? (row.text(0), row.text(1))).map { ($0.0.lowercased(), $0.1) }
        }
        let values = Dictionary(pairs) { $1 }
        return ConnectionURL.settings(for: purpose).allSatisfy { setting in
            // The server shows times in ms.
            let isInSeconds = setting.value.hasSuffix("s") && Int(setting.value.dropLast()) != nil
            let value = isInSeconds ? "\(setting.value.dropLast())000" : setting.value
            return values[setting.name.lowercased()] == value
        }
    }

    private static let selectSettings: SQL = "SELECT name, setting FROM pg_settings"

    private func connect(hasOptions: Bool) throws -> Session {
        if acceptsReadOnly, url.latestHost.isReadOnly {
            return try connect(hasOptions: hasOptions, acceptsReadOnly: true)
        }
        do {
            return try connect(hasOptions: hasOptions, acceptsReadOnly: false)
        } catch let error as PostgreSQLError where acceptsReadOnly && error.isOfReadOnlyHost {
            let session = try connect(hasOptions: hasOptions, acceptsReadOnly: true)
            url.latestHost.noteReadOnly()
            return session
        }
    }

    private func connect(hasOptions: Bool, acceptsReadOnly: Bool) throws -> Session {
        let library = try Libpq.load()
        let parameters = url.parameters(
            for: purpose,
            hasOptions: hasOptions,
            acceptsReadOnly: acceptsReadOnly,
            firstHost: url.latestHost.index
        )
        let opened = unsafe Self.withArguments(parameters) { names, values in
            unsafe library.functions.pointee.PQconnectdbParams(names, values, 0)
        }
        guard let connection = unsafe opened else { throw Self.outOfMemory }
        guard
            unsafe library.functions.pointee.PQstatus(connection)
                == HUMON_CONNECTION_OK
        else {
            let message = unsafe Session.message(library.functions, connection)
            unsafe library.functions.pointee.PQfinish(connection)
            let error = PostgreSQLError(.unreachable, message: message)
            if error.isOfReadOnlyHost { throw error }
            let state = Self.diagnose(parameters, library)
            throw PostgreSQLError(.unreachable, state: state, message: message)
        }
        let session = unsafe Session(connection, library, preparesStatements: preparesStatements)
        if let index = url.index(of: session.host) { url.latestHost.note(index) }
        return session
    }

    private static let outOfMemory = PostgreSQLError(
        .unreachable,
        message: "there is no memory for a connection"
    )

    /// Tries once more to connect, and returns the code of the server's error.
    ///
    /// libpq has the code only in messages in its most detailed form, which can be requested only
    /// for a connection that is not opened with one call.
    private static func diagnose(_ parameters: [String: String], _ library: Libpq) -> SQLState? {
        let functions = unsafe library.functions
        let begun = unsafe withArguments(parameters) { names, values in
            unsafe functions.pointee.PQconnectStartParams(names, values, 0)
        }
        guard let connection = unsafe begun else { return nil }
        defer { unsafe functions.pointee.PQfinish(connection) }
        let detailed = HUMON_PQERRORS_VERBOSE
        _ = unsafe functions.pointee.PQsetErrorVerbosity(connection, detailed)
        let deadline = MonotonicClock.milliseconds() + diagnosisMilliseconds
        var events = Int16(POLLOUT)
        while unsafe functions.pointee.PQstatus(connection)
            != HUMON_CONNECTION_BAD
        {
            let descriptor = unsafe functions.pointee.PQsocket(connection)
            guard Poll.wait(descriptor, events, until: deadline) else { return nil }
            switch unsafe functions.pointee.PQconnectPoll(connection) {
            case HUMON_PGRES_POLLING_READING: events = Int16(POLLIN)
            case HUMON_PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            case HUMON_PGRES_POLLING_OK: return nil
            default: return state(in: unsafe Session.message(functions, connection))
            }
        }
        return state(in: unsafe Session.message(functions, connection))
    }

    /// Returns the first code between a colon and a colon, as in `FATAL:  28P01: password …`.
    ///
    /// libpq reports a missing password without a code; it gets that of a wrong one.
    static func state(in message: String) -> SQLState? {
        if message.contains("no password supplied") { return .invalidPassword }
        for part in message.split(separator: ":").dropFirst() {
            let code = part.drop { $0 == " " }
            let isCode = code.unicodeScalars.allSatisfy { scalar in
                ("0"..."9").contains(scalar) || ("A"..."Z").contains(scalar)
            }
            // Every code has a digit, unlike the words around it.
            if code.utf8.count == 5, isCode, code.contains(where: \.isNumber) {
                return SQLState(rawValue: String(code))
            }
        }
        return nil
    }

    /// Calls `connect` with the names and values as null-terminated arrays of C strings.
    private static func withArguments(
        _ parameters: [String: String],
        _ connect: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> OpaquePointer?
    ) -> OpaquePointer? {
        var names: [UnsafePointer<CChar>?] = unsafe []
        var values: [UnsafePointer<CChar>?] = unsafe []
        for (name, value) in parameters {
            unsafe names.append(UnsafePointer(strdup(name)))
            unsafe values.append(UnsafePointer(strdup(value)))
        }
        defer {
            unsafe (names + values).forEach { text in
                unsafe free(UnsafeMutablePointer(mutating: text))
            }
        }
        unsafe names.append(nil)
        unsafe values.append(nil)
        return unsafe names.withUnsafeBufferPointer { names in
            unsafe values.withUnsafeBufferPointer { values in
                guard let firstName = names.baseAddress,
                    let firstValue = values.baseAddress
                else { return nil }
                return unsafe connect(firstName, firstValue)
            }
        }
    }
}

/// Waits for one descriptor.
enum Poll {
    /// Whether the descriptor is ready for `events` now.
    static func isReady(_ descriptor: Int32, _ events: Int16) -> Bool {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        return unsafe poll(&request, 1, 0) > 0
    }

    /// Waits until the descriptor is ready for `events`; false if the deadline comes first.
    ///
    /// The deadline is in ms of the monotonic clock.
    static func wait(_ descriptor: Int32, _ events: Int16, until deadline: Int64) -> Bool {
        while true {
            let remaining = deadline - MonotonicClock.milliseconds()
            if remaining <= 0 { return false }
            var request = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&request, 1, Int32(clamping: remaining))
            if count > 0 { return true }
            if count < 0 && errno != EINTR { return false }
        }
    }
}
