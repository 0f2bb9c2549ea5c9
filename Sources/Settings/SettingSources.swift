import Glibc
package import Model
import System

/// The sources of settings: flags override environment variables, which override a file.
///
/// An empty value counts as not set.
package struct SettingSources: Sendable {
    /// The values of flags by the setting's name, such as `PORT`.
    package var flags: [String: String]
    package var environment: [String: String]
    package var file: DotEnvFile?

    package init(
        flags: [String: String] = [:],
        environment: [String: String] = [:],
        file: DotEnvFile? = nil
    ) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// Returns the settings among the environment variables of this process.
    package static func processEnvironment() -> [String: String] {
        var values: [String: String] = [:]
        for name in Setting.all.flatMap(\.names) + Setting.formerNames {
            // The string belongs to the environment, so it is copied immediately.
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return values
    }

    /// Applies the given values to the defaults.
    ///
    /// - Parameters:
    ///   - defaults: The values of settings that are not given.
    ///   - names: The settings to read, besides those that flags give; nil for all.
    /// - Returns: The values in effect.
    /// - Throws: `SettingError` for the first invalid value.
    package func resolve(
        over defaults: Configuration,
        only names: Set<String>? = nil
    ) throws(SettingError) -> ResolvedConfiguration {
        try checkFile()
        var resolved = ResolvedConfiguration(defaults)
        for setting in Setting.all {
            let isRead = names?.contains(setting.name) ?? true
            guard isRead || setting.names.contains(where: { flags[$0] != nil }),
                let (text, origin) = try given(setting)
            else { continue }
            guard setting.store(text, &resolved.configuration) else {
                if origin == .environment, let stray = StrayValue(of: setting.name, text) {
                    resolved.strayValues.append(stray)
                    continue
                }
                if let fault = setting.fault(text) {
                    throw .invalidPart(name: setting.name, fault: fault, origin: origin)
                }
                throw .invalid(
                    name: setting.name,
                    value: setting.shown(text),
                    allowed: setting.allowed,
                    origin: origin
                )
            }
            resolved.origins[setting.name] = origin
        }
        resolved.formerNames = Setting.formerNames.filter { find($0) != nil }
        return resolved
    }

    /// Throws for unknown names, which must be typing errors because the file is only for Humon.
    private func checkFile() throws(SettingError) {
        guard let file else { return }
        for entry in file.entries
        where Setting.named(entry.name) == nil && !Setting.formerNames.contains(entry.name) {
            throw .unknownName(
                entry.name,
                path: file.path,
                line: entry.line,
                suggestion: Suggestion.closest(to: entry.name, in: Setting.all.flatMap(\.names))
            )
        }
    }

    private func given(_ setting: Setting) throws(SettingError) -> (String, SettingOrigin)? {
        let direct = find(setting.name)
        guard let fileName = setting.fileName, let (path, origin) = find(fileName) else {
            return direct
        }
        if let direct {
            throw .givenTwice(
                name: setting.name,
                origin: direct.1,
                fileName: fileName,
                fileOrigin: origin
            )
        }
        let text = try secret(at: path, name: fileName)
        return (text, .secretFile(path: path, name: fileName, origin))
    }

    private func find(_ name: String) -> (String, SettingOrigin)? {
        if let value = flags[name], !value.isEmpty { return (value, .flag(Setting.flag(of: name))) }
        if let value = environment[name], !value.isEmpty { return (value, .environment) }
        guard let file, let entry = file.entries.first(where: { $0.name == name }),
            !entry.value.isEmpty
        else { return nil }
        return (entry.value, .file(path: file.path, line: entry.line))
    }

    private func secret(at path: String, name: String) throws(SettingError) -> String {
        do throws(FileError) {
            var text = try SmallFile.text(at: path)
            while text.last?.isNewline == true { text.removeLast() }
            return text
        } catch {
            throw .unreadableNamedFile(name: name, path: path, reason: error.reason)
        }
    }
}

/// The value of an environment variable that another program has set for its own purposes.
package struct StrayValue: Equatable, Sendable {
    /// The name of the setting, which has its default.
    package let name: String
    package let value: String
    /// Who sets it, and how to prevent that, as a text without a full stop.
    package let advice: String

    /// Creates the value if it has the form of another program's, and returns nil otherwise.
    init?(of name: String, _ value: String) {
        switch name {
        case "ADMIN_PORT" where ["tcp://", "udp://", "sctp://"].contains(where: value.hasPrefix):
            advice =
                "Kubernetes sets it for a service named admin; "
                + "set enableServiceLinks: false in the pod's specification"
        case "HOST"
        where ["-linux-gnu", "-linux-musl", "-apple-darwin"].contains(where: value.contains):
            advice =
                "conda sets it to the platform of its compilers; "
                + "unset HOST, or use --host 127.0.0.1"
        default: return nil
        }
        self.name = name
        self.value = value
    }
}

/// The settings in effect, and the source of each.
package struct ResolvedConfiguration: Equatable, Sendable {
    package var configuration: Configuration
    /// The sources by the setting's name; settings that are missing here have their defaults.
    package var origins: [String: SettingOrigin] = [:]
    /// The values that were ignored, because they are not meant for Humon.
    package var strayValues: [StrayValue] = []
    /// The names of settings of the version before that were given.
    package var formerNames: [String] = []

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    package func origin(of setting: Setting) -> SettingOrigin {
        origins[setting.name] ?? .builtIn
    }

    /// The names of the settings that were given and have no effect on the database.
    package var ineffectiveNames: [String] {
        guard configuration.postgresqlURL != nil else { return [] }
        return Self.namesWithoutEffectOnPostgreSQL.filter { origins[$0] != nil }
    }

    private static let namesWithoutEffectOnPostgreSQL = [
        "SQLITE_SYNCHRONOUS", "BACKUP_SCHEDULE", "BACKUP_BEFORE_MIGRATION",
    ]

    /// Checks that a system is enabled.
    ///
    /// - Throws: `SettingError.systemIsOff` if `SYSTEMS` doesn't contain it.
    package func check(_ system: ServedSystem, for command: String) throws(SettingError) {
        guard configuration.systems.contains(system) else {
            throw .systemIsOff(system, command: command)
        }
    }

    /// Checks what the server needs beyond valid settings.
    ///
    /// - Throws: `SettingError.missingAppSecret` if apps couldn't create users, and `.samePorts`.
    package func checkServing() throws(SettingError) {
        let needsSecret = configuration.systems.contains(.humon)
        if needsSecret, configuration.appSecrets.isEmpty { throw .missingAppSecret }
        if configuration.port != 0, configuration.adminPort == configuration.port {
            throw .samePorts(configuration.port)
        }
    }
}
