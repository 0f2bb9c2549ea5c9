/// The commands of the program.
enum Commands {
    /// All commands, in the order of the help.
    static let all: [CommandRow] =
        rows(
            ServeCommand.self,
            MigrateCommand.self,
            RoutesCommand.self,
            ImportCommand.self,
            ExportCommand.self,
            SeedCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            MoveCommand.self,
            DoctorCommand.self,
            HealthCommand.self,
            TestServerCommand.self,
            RevokeTokenCommand.self
        ) + reports + events + [invite] + users + identities
        + rows(
            WordsCommand.self,
            ListIssuersCommand.self,
            CheckIDTokenCommand.self,
            ListAccountsCommand.self,
            ResetPasswordCommand.self,
            SignOutCommand.self,
            DeleteAccountCommand.self
        ) + feed + webhooks + admins + audit + [deletions]
        + rows(
            ConfigCommand.self,
            SettingsCommand.self,
            ExamplesCommand.self,
            ManualCommand.self,
            CompletionsCommand.self,
            VersionCommand.self,
            HelpCommand.self
        )

    /// The descriptions of all commands, in the order of the help.
    static let descriptions = all.map(\.description)

    /// Returns the commands whose names begin with the words of `topic`, such as `token`.
    static func beginning(with topic: String) -> [CommandDescription] {
        descriptions.filter { $0.name == topic || $0.name.hasPrefix(topic + " ") }
    }

    private static func rows(_ types: any ProgramCommand.Type...) -> [CommandRow] {
        types.map { CommandRow($0) }
    }
}
