import Glibc
import Model

/// The places that settings are read from: flags win over the environment, and that over a file.
///
/// An empty value counts as not set, wherever it stands.
package struct SettingSources: Sendable {
    /// Values of the command line by the setting's name, such as `PORT`.
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

    /// The settings that the environment of this process gives; other variables are left alone.
    package static func processEnvironment() -> [String: String] {
        var values: [String: String] = [:]
        for name in Settings.all.flatMap(\.names) {
            // The string belongs to the environment, so it is copied at once.
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return values
    }

    /// Puts every value that is given over the defaults.
    ///
    /// - Throws: `SettingError` for the first value that can't be used.
    package func resolve(
        over defaults: Configuration
    ) throws(SettingError) -> ResolvedConfiguration {
        try checkFile()
        var resolved = ResolvedConfiguration(defaults)
        for setting in Settings.all {
            guard let (text, origin) = try given(setting) else { continue }
            guard setting.store(text, &resolved.configuration) else {
                throw .invalid(
                    name: setting.name,
                    value: setting.shown(text),
                    allowed: setting.allowed,
                    origin: origin
                )
            }
            resolved.origins[setting.name] = origin
        }
        return resolved
    }

    /// A name in the file that is no setting is a slip, because the file is the server's alone.
    private func checkFile() throws(SettingError) {
        guard let file else { return }
        for entry in file.entries where Settings.named(entry.name) == nil {
            throw .unknownName(
                entry.name,
                path: file.path,
                line: entry.line,
                suggestion: Suggestion.closest(
                    to: entry.name,
                    in: Settings.all.flatMap(\.names)
                )
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
            throw .unreadableSecret(name: name, path: path, reason: error.reason)
        }
    }
}

/// The configuration in force, and where each value of it comes from.
package struct ResolvedConfiguration: Equatable, Sendable {
    package var configuration: Configuration
    /// By the setting's name; what is not in here has its default.
    package var origins: [String: SettingOrigin] = [:]

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    package func origin(of setting: Setting) -> SettingOrigin {
        origins[setting.name] ?? .builtIn
    }

    /// What a command for one system alone needs.
    ///
    /// - Throws: `SettingError.systemIsOff` if `SYSTEMS` does not name the system.
    func check(_ system: System, for command: String) throws(SettingError) {
        guard configuration.systems.contains(system) else {
            throw .systemIsOff(system, command: command)
        }
    }

    /// What serving needs beyond defaults.
    ///
    /// - Throws: `SettingError.missingAppSecret` if apps could not create users, and `.samePorts`.
    package func checkServing() throws(SettingError) {
        let needsSecret = configuration.systems.contains(.humon)
        if needsSecret, configuration.appSecrets.isEmpty { throw .missingAppSecret }
        if configuration.port != 0, configuration.adminPort == configuration.port {
            throw .samePorts(configuration.port)
        }
    }
}
