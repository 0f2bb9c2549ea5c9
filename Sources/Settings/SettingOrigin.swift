/// Where the value of a setting comes from.
package enum SettingOrigin: Equatable, Sendable, CustomStringConvertible {
    case builtIn
    /// The flag, such as `--port`.
    case flag(String)
    case environment
    /// A line of the settings file at this path.
    case file(path: String, line: Int)
    /// The contents of a file; `name` is the setting that names it, such as `TB_APP_SECRET_FILE`.
    indirect case secretFile(path: String, name: String, SettingOrigin)

    package var description: String {
        switch self {
        case .builtIn: "default"
        case .flag(let flag): flag
        case .environment: "environment"
        case .file(let path, let line): "\(path), line \(line)"
        case .secretFile(let path, let name, let origin): "\(path), from \(name) (\(origin))"
        }
    }
}
