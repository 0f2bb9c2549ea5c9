package import Model

/// Why the settings can't be used; each message says what to do about it.
package enum SettingError: Error, Equatable {
    /// `value` is fit to be shown.
    case invalid(name: String, value: String, allowed: String, origin: SettingOrigin)
    /// A secret is given itself and by a file.
    case givenTwice(
        name: String,
        origin: SettingOrigin,
        fileName: String,
        fileOrigin: SettingOrigin
    )
    case unreadableSecret(name: String, path: String, reason: String)
    case unreadableFile(path: String, reason: String)
    /// A line of a settings file isn't `NAME=value`.
    case malformedLine(path: String, line: Int, reason: String)
    case unknownName(String, path: String, line: Int, suggestion: String?)
    case missingAppSecret
    case samePorts(UInt16)
    /// A command is for a system that is not served.
    case systemIsOff(System, command: String)

    package var message: String {
        switch self {
        case .invalid(let name, let value, let allowed, let origin):
            "\(name) is \(value) (\(origin)), but must be \(allowed)."
        case .givenTwice(let name, let origin, let fileName, let fileOrigin):
            "Both \(name) (\(origin)) and \(fileName) (\(fileOrigin)) are set; remove one of them."
        case .unreadableSecret(let name, let path, let reason):
            "\(name) names the file \"\(path)\", which can't be read: \(reason)."
        case .unreadableFile(let path, let reason):
            "The settings file \"\(path)\" can't be read: \(reason)."
        case .malformedLine(let path, let line, let reason):
            "\(path), line \(line): \(reason)."
        case .unknownName(let name, let path, let line, let suggestion):
            "\(path), line \(line): \"\(name)\" is not a setting"
                + (suggestion.map { "; did you mean \"\($0)\"?" } ?? ".")
        case .missingAppSecret:
            """
            TB_APP_SECRET is not set, so no app could create a user.
            Make one with `openssl rand -hex 32` and put it into .env as a line \
            TB_APP_SECRET=…, into the environment, or into a file that TB_APP_SECRET_FILE names.
            """
        case .samePorts(let port):
            "PORT and ADMIN_PORT are both \(port); set ADMIN_PORT to another one, or to off."
        case .systemIsOff(let system, let command):
            "`\(command)` is for \(system.rawValue), which SYSTEMS does not name; add it there."
        }
    }
}
