package import Model

/// An error in the settings; each message says what to do about it.
package enum SettingError: Error, Equatable {
    /// `value` contains no secrets.
    case invalid(name: String, value: String, allowed: String, origin: SettingOrigin)
    /// A part of a value is not allowed; `fault` says which.
    case invalidPart(name: String, fault: String, origin: SettingOrigin)
    /// A secret is set both directly and as a file.
    case givenTwice(
        name: String,
        origin: SettingOrigin,
        fileName: String,
        fileOrigin: SettingOrigin
    )
    /// The file that a setting names can't be read.
    case unreadableNamedFile(name: String, path: String, reason: String)
    case unreadableFile(path: String, reason: String)
    /// A line of a file of settings or words is malformed.
    case malformedLine(path: String, line: Int, reason: String)
    case unknownName(String, path: String, line: Int, suggestion: String?)
    case missingAppSecret
    case samePorts(UInt16)
    /// A command needs a system that is not enabled.
    case systemIsOff(ServedSystem, command: String)

    package var message: String {
        switch self {
        case .invalid(let name, let value, let allowed, let origin):
            "\(name) is \(value) (\(origin)), but must be \(allowed)."
                + (name == "HOST" && origin == .environment
                    ? " Shells set HOST, too. Unset it, or use --host 127.0.0.1." : "")
        case .invalidPart(let name, let fault, let origin):
            "\(name) (\(origin)), \(fault)."
        case .givenTwice(let name, let origin, let fileName, let fileOrigin):
            "Both \(name) (\(origin)) and \(fileName) (\(fileOrigin)) are set. Remove one of them."
        case .unreadableNamedFile(let name, let path, let reason):
            // A URL that was put here by mistake can contain a password.
            "The file \(Setting.quoted(path)) of \(name) can't be read: \(reason)."
        case .unreadableFile(let path, let reason):
            "The settings file \(Setting.quoted(path)) can't be read: \(reason)."
        case .malformedLine(let path, let line, let reason):
            "\(path), line \(line): \(reason)."
        case .unknownName(let name, let path, let line, let suggestion):
            "\(path), line \(line): \"\(name)\" is not a setting"
                + (suggestion.map { "; did you mean \"\($0)\"?" } ?? ".")
        case .missingAppSecret:
            """
            TB_APP_SECRET is not set, so apps can't create users.
            Generate a secret with `openssl rand -hex 32`. Set TB_APP_SECRET to it in .env or in \
            the environment, or set TB_APP_SECRET_FILE to a file that contains it.
            """
        case .samePorts(let port):
            "PORT and ADMIN_PORT are both \(port). Set ADMIN_PORT to another port, or to off."
        case .systemIsOff(let system, let command):
            "`\(command)` needs the system \(system.rawValue). Add it to SYSTEMS."
        }
    }
}
