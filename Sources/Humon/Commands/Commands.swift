/// The commands of the program.
enum Commands {
    /// The types of all commands, in the order of the help.
    static let all: [any ProgramCommand.Type] = [
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
        RevokeTokenCommand.self,
        ResolveReportsCommand.self,
        ReportsCommand.self,
        HideEventCommand.self,
        ShowEventCommand.self,
        DeleteEventCommand.self,
        InviteCommand.self,
        ListUsersCommand.self,
        BanUserCommand.self,
        UnbanUserCommand.self,
        DeleteUserCommand.self,
        RenameUserCommand.self,
        ListDevicesCommand.self,
        ListIdentitiesCommand.self,
        MergeUsersCommand.self,
        WordsCommand.self,
        ListIssuersCommand.self,
        CheckIDTokenCommand.self,
        ListAccountsCommand.self,
        ResetPasswordCommand.self,
        SignOutCommand.self,
        DeleteAccountCommand.self,
        AddWebhookCommand.self,
        ListWebhooksCommand.self,
        RemoveWebhookCommand.self,
        TestWebhookCommand.self,
        ShowWebhookSecretCommand.self,
        RotateWebhookCommand.self,
        ResumeWebhookCommand.self,
        AddAdminCommand.self,
        ListAdminsCommand.self,
        DisableAdminCommand.self,
        EnableAdminCommand.self,
        ResetAdminPasswordCommand.self,
        AddAdminTokenCommand.self,
        AuditCommand.self,
        UndoCommand.self,
        DeletionsCommand.self,
        ConfigCommand.self,
        SettingsCommand.self,
        ExamplesCommand.self,
        ManualCommand.self,
        CompletionsCommand.self,
        VersionCommand.self,
        HelpCommand.self,
    ]

    /// The descriptions of all commands, in the order of the help.
    static var descriptions: [CommandDescription] { all.map { $0.description } }

    /// Returns the commands whose names begin with the words of `topic`, such as `token`.
    static func beginning(with topic: String) -> [CommandDescription] {
        descriptions.filter { $0.name == topic || $0.name.hasPrefix(topic + " ") }
    }
}
