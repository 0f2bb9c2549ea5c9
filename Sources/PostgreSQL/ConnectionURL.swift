import CPostgreSQL
import Glibc

/// The address of a database, `postgres://user@host/database`, with defaults that suit a server.
///
/// Its description has neither the password nor any other parameter.
package struct ConnectionURL: Sendable, Equatable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The use of a connection, which decides how long its statements may take.
    package enum Purpose: Equatable, Sendable {
        /// Requests: each statement has a limit in ms.
        case serving(timeoutMilliseconds: Int)
        /// Commands, which can take as long as they need.
        case administration
        /// Imports and exports: as administration, but all statements have an index to use.
        case transfer
    }

    /// The address without secrets, such as `postgres://user@host/database`.
    package let description: String
    package var debugDescription: String { description }

    /// The parameters of the URL.
    private let parameters: [String: String]
    /// The host that has accepted the latest connection; copies of the URL share it.
    let latestHost = LatestHost()

    /// The name of the user, if the URL has one.
    var user: String? { parameters["user"] }

    /// Parses a URL; throws `ConnectionURLError` if it can't be used as it is.
    package init(_ text: String) throws {
        let parameters = try Self.parse(text)
        for name in parameters.keys.sorted() where !Self.isAllowed(name) {
            throw ConnectionURLError(
                """
                DATABASE_URL has the parameter \(name), which Humon doesn't support. Remove it. \
                Allowed are \(Self.allowed.joined(separator: ", ")).
                """
            )
        }
        self.parameters = parameters
        description = Self.description(of: parameters)
        try Self.checkValues(parameters)
        try Self.checkEncryption(parameters)
    }

    /// Returns whether a text looks like a URL of PostgreSQL, and not like a path.
    package static func isPostgreSQL(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Returns the parameters for a connection, with defaults for those that the URL doesn't set.
    ///
    /// With `hasOptions`, they set the server's settings, which pgbouncer rejects. With
    /// `acceptsReadOnly`, a standby will do as well. The first host that is tried is the one
    /// with the index `firstHost`.
    func parameters(
        for purpose: Purpose,
        hasOptions: Bool,
        acceptsReadOnly: Bool,
        firstHost: Int
    ) -> [String: String] {
        var result = Self.defaults
        if hasOptions { result["options"] = options(for: purpose) }
        if acceptsReadOnly { result["target_session_attrs"] = "any" }
        result.merge(parameters) { $1 }
        for name in Self.namesOfLists {
            let list = Self.list(result[name])
            guard firstHost > 0, firstHost < list.count else { continue }
            result[name] = (list[firstHost...] + list[..<firstHost]).joined(separator: ",")
        }
        return result
    }

    /// The parameters that have an element for each host.
    private static let namesOfLists = ["host", "hostaddr", "port"]

    /// Returns the index of the host to which libpq has connected; nil if the URL doesn't name it.
    func index(of host: (name: String, port: String)) -> Int? {
        let names = Self.list(parameters["host"])
        let addresses = Self.list(parameters["hostaddr"])
        let ports = Self.list(parameters["port"])
        return (0..<max(names.count, addresses.count)).first { index in
            let name = names.dropFirst(index).first ?? ""
            let port = ports.count > 1 ? ports.dropFirst(index).first : ports.first
            return (name.isEmpty ? addresses.dropFirst(index).first : name) == host.name
                && (port.flatMap { $0.isEmpty ? nil : $0 } ?? Self.usualPort) == host.port
        }
    }

    private static let usualPort = "5432"

    /// The settings of the server's side of a connection.
    static func settings(for purpose: Purpose) -> [(name: String, value: String)] {
        let (timeout, lockTimeout, idleTimeout) =
            switch purpose {
            case .serving(let milliseconds): ("\(max(1, milliseconds))", "2s", "10s")
            case .administration, .transfer: ("0", "0", "0")
            }
        return [
            ("statement_timeout", timeout), ("lock_timeout", lockTimeout),
            ("idle_in_transaction_session_timeout", idleTimeout), ("TimeZone", "UTC"),
            ("plan_cache_mode", "force_generic_plan"),
        ] + (purpose == .administration ? [] : servingPlans)
    }

    /// The settings of a connection whose statements all have an index to use.
    ///
    /// Otherwise a plan that was made while a table was nearly empty would read all of it later. A
    /// plan without an index would then seem so expensive that the server compiles it.
    private static let servingPlans = [
        (name: "enable_seqscan", value: "off"), (name: "jit", value: "off"),
    ]

    /// The statements that have the same effect as the settings of a connection.
    package func settingsAdvice(for purpose: Purpose) -> String {
        Self.settings(for: purpose).map { setting in
            "ALTER ROLE \(user ?? "…") SET \(setting.name) = '\(setting.value)';"
        }.joined(separator: " ")
    }

    private func options(for purpose: Purpose) -> String {
        Self.settings(for: purpose)
            .map { "-c \($0.name)=\($0.value)" }.joined(separator: " ")
    }

    private static let defaults = [
        "target_session_attrs": "read-write", "connect_timeout": "2", "keepalives": "1",
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        "tcp_user_timeout": "10000", "client_encoding": "UTF8", "application_name": "humon",
    ]

    private static let allowed = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode",
        "sslrootcert", "sslcert", "sslkey", "sslcrl", "channel_binding", "target_session_attrs",
        "connect_timeout", "application_name", "keepalives", "keepalives_idle",
        "keepalives_interval", "keepalives_count", "tcp_user_timeout",
    ]

    private static func isAllowed(_ name: String) -> Bool { allowed.contains(name) }
}

extension ConnectionURL {
    /// Returns the parameters that a URL sets.
    ///
    /// libpq's own message is not used, because it repeats the URL and so the password.
    private static func parse(_ text: String) throws -> [String: String] {
        let invalid = ConnectionURLError(
            """
            DATABASE_URL is not a valid PostgreSQL URL. Write \
            postgres://user@host:port/database?parameter=value, and percent-encode special \
            characters, such as %40 for @ in a password.
            """
        )
        guard isPostgreSQL(text), !text.utf8.contains(0) else { throw invalid }
        let functions = unsafe try Library.load().functions
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe functions.pointee.PQconninfoParse(text, &message)
        defer { unsafe functions.pointee.PQfreemem(message) }
        guard let options = unsafe options else {
            if let name = unsafe message.flatMap({ unsafe unknownParameter(String(cString: $0)) }) {
                throw ConnectionURLError(
                    """
                    DATABASE_URL has the unknown parameter \(name). Remove it. Allowed are \
                    \(allowed.joined(separator: ", ")).
                    """
                )
            }
            throw invalid
        }
        defer { unsafe functions.pointee.PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe parameters[String(cString: keyword)] = String(cString: value)
            }
            unsafe option += 1
        }
        // Otherwise they hold a part of a password that is not percent-encoded.
        guard hasPlausibleAddress(parameters) else { throw invalid }
        return parameters
    }

    /// Whether no part of the address can be one of a password.
    private static func hasPlausibleAddress(_ parameters: [String: String]) -> Bool {
        let hosts = (parameters["host"] ?? "").split(separator: ",")
        let ports = (parameters["port"] ?? "").utf8
        // Parameters without a question mark before them become a part of a name.
        let names = ["user", "host", "dbname"].compactMap { parameters[$0] }
        guard !names.contains(where: { $0.contains("=") }) else { return false }
        return hosts.allSatisfy { $0.hasPrefix("/") || !$0.dropFirst().contains("@") }
            && ports.allSatisfy { (48...57).contains($0) || $0 == 44 }
            && parameters["dbname"]?.contains("@") != true
    }

    /// Returns the name in libpq's message about a parameter that it doesn't know.
    private static func unknownParameter(_ message: String) -> String? {
        let marker = "invalid URI query parameter: \""
        guard message.hasPrefix(marker) else { return nil }
        let name = message.dropFirst(marker.count).prefix { $0 != "\"" }
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
        return isName && name.count <= 40 ? String(name) : nil
    }

    private static func description(of parameters: [String: String]) -> String {
        let user = parameters["user"].map { "\($0)@" } ?? ""
        let database = parameters["dbname"] ?? ""
        let ports = list(parameters["port"])
        let hosts = list(parameters["host"] ?? parameters["hostaddr"]).enumerated()
            .map { index, host in
                let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
                let port = ports.count == 1 ? ports[0] : ports.dropFirst(index).first ?? ""
                return (host.hasPrefix("/") ? "" : name) + (port.isEmpty ? "" : ":\(port)")
            }
        let text = "postgres://\(user)\(hosts.joined(separator: ","))/\(database)"
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? "?" : $0 })
        )
    }

    /// Throws if libpq could never connect with a value.
    ///
    /// It would report that as if the server were away.
    private static func checkValues(_ parameters: [String: String]) throws {
        for (name, values) in choices {
            guard let value = parameters[name], !values.contains(value) else { continue }
            throw ConnectionURLError(
                "DATABASE_URL has an unknown \(name). Write one of "
                    + "\(values.joined(separator: ", "))."
            )
        }
        for name in numbers {
            guard let value = parameters[name], Int32(value) == nil else { continue }
            throw ConnectionURLError(
                "DATABASE_URL has a \(name) that is not a number. Write one, or remove it."
            )
        }
        for port in list(parameters["port"]) where !port.isEmpty {
            guard let number = UInt16(port), number > 0 else {
                throw ConnectionURLError(
                    "DATABASE_URL has a port that doesn't exist. Write a number from 1 to 65535."
                )
            }
        }
    }

    /// The values of parameters with a choice.
    private static let choices = [
        ("sslmode", ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
        ("channel_binding", ["disable", "prefer", "require"]),
        // A standby would return what has changed since.
        ("target_session_attrs", ["read-write", "primary"]),
    ]
    private static let numbers = [
        "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",
    ]

    /// Throws unless every host is on this machine, or the URL says whether to verify it.
    private static func checkEncryption(_ parameters: [String: String]) throws {
        let mode = parameters["sslmode"]
        if let mode, ["verify-full", "verify-ca", "disable"].contains(mode) { return }
        let hosts = hosts(of: parameters)
        let service = parameters["service"] ?? environment("PGSERVICE")
        guard let host = hosts.first(where: { !isLocal($0) }) ?? service.map({ "of service \($0)" })
        else { return }
        let given = mode.map { "sslmode=\($0)" } ?? "no sslmode"
        throw ConnectionURLError(
            """
            DATABASE_URL has \(given) for the host \(host), so an impostor could pose as the \
            database. Add sslmode=verify-full and sslrootcert=FILE (the certificate of the \
            authority that signed the server's), or sslmode=disable if the network is your own.
            """
        )
    }

    /// The hosts that libpq would connect to: the address of each, or its name if it has none.
    private static func hosts(of parameters: [String: String]) -> [String] {
        let addresses = list(parameters["hostaddr"] ?? environment("PGHOSTADDR"))
        let names = list(parameters["host"] ?? environment("PGHOST"))
        return (0..<max(addresses.count, names.count)).map { index in
            let address = addresses.dropFirst(index).first ?? ""
            return address.isEmpty ? names.dropFirst(index).first ?? "" : address
        }
    }

    /// Returns the elements of a list, of which some can be empty; none for an empty list.
    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether all hosts are this machine, as far as the URL and the environment tell.
    package var isLocal: Bool {
        parameters["service"] == nil && Self.environment("PGSERVICE") == nil
            && Self.hosts(of: parameters).allSatisfy(Self.isLocal)
    }

    /// The number of hosts that the URL names.
    package var hostCount: Int { max(1, Self.hosts(of: parameters).count) }

    /// The path of the file in which libpq looks for the password; nil if the URL has one.
    package var passwordFile: String? {
        guard parameters["password"] == nil, Self.environment("PGPASSWORD") == nil else {
            return nil
        }
        return parameters["passfile"] ?? Self.environment("PGPASSFILE")
            ?? Self.environment("HOME").map { $0 + "/.pgpass" }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether a host is a socket's folder, an abstract socket, or this machine.
    ///
    /// Without a name, libpq uses a socket.
    private static func isLocal(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") { return true }
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// The error for a URL that can't be used, with advice and without secrets.
package struct ConnectionURLError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
