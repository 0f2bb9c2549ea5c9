extension Humon {
    /// Carries out a command that needs the storage or the server.
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
        case .importEvents(let path, let format, let isStrict):
            var command = try ImportCommand(configuration: configuration)
            return try await command.run(path: path, format: format, isStrict: isStrict)
        case .exportEvents(let path, let format):
            try ExportCommand(configuration: configuration).run(path: path, format: format)
        case .seed:
            try await SeedCommand(configuration: configuration).run()
        case .revokeToken(let userID):
            try await TokenCommand(configuration: configuration).revoke(userID: userID)
        case .config, .examples, .version, .help:
            break
        }
        return .success
    }
}
