import Formats
import Model
import Settings

extension Humon {
    /// Runs a command that needs the storage or the server.
    static func execute(
        _ command: Command,
        with resolved: ResolvedConfiguration
    ) async throws -> ExitCode {
        let configuration = resolved.configuration
        switch command {
        case .serve:
            try resolved.checkServing()
            try ServeCommand(configuration: configuration).run()
        case .migrate(let showsStatus):
            try MigrateCommand(configuration: configuration).run(showsStatus: showsStatus)
        case .routes:
            RoutesCommand.run()
        case .importRecords(let kind, let path, let format, let options):
            try resolved.check(kind.system, for: "humon import --of \(kind.rawValue)")
            return try ImportCommand(configuration: configuration, options: options)
                .run(kind, path: path, format: format)
        case .exportRecords(let kind, let path, let format):
            try resolved.check(kind.system, for: "humon export --of \(kind.rawValue)")
            try ExportCommand(configuration: configuration).run(kind, path: path, format: format)
        case .seed(let isRepeated):
            try await SeedCommand(configuration: configuration).run(isRepeated: isRepeated)
        case .backup(let path):
            return try BackupCommand(configuration: configuration).run(path: path)
        case .verifyBackup(let path):
            try BackupCommand(configuration: configuration).verify(path: path)
        case .restore(let path):
            try RestoreCommand(configuration: configuration).run(path: path)
        case .revokeToken(let userID):
            try resolved.check(.humon, for: "humon token revoke")
            try await TokenCommand(configuration: configuration).revoke(userID: userID)
        case .listAccounts:
            try resolved.check(.todo, for: "humon account list")
            try AccountCommand(configuration: configuration).list()
        case .resetPassword(let email):
            try resolved.check(.todo, for: "humon account reset-password")
            try await AccountCommand(configuration: configuration).resetPassword(of: email)
        case .signOut(let email):
            try resolved.check(.todo, for: "humon account sign-out")
            try await AccountCommand(configuration: configuration).signOut(email)
        case .doctor, .config, .settings, .testServer, .examples, .version, .help:
            break
        }
        return .success
    }
}
