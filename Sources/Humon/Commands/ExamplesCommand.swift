import Settings

/// `humon examples`: prints curl commands for a first try.
struct ExamplesCommand: PlainCommand {
    static let description = CommandDescription(
        name: "examples",
        summary: "Print curl commands with your secret in them."
    )

    private static let settings: Set<String> = ["HOST", "PORT", "TB_APP_SECRET"]

    func run(in context: CommandContext) throws -> ExitCode {
        Terminal.output.write(
            try Self.text(for: context.settings(only: Self.settings).configuration) + "\n"
        )
        return .success
    }

    /// Returns curl commands that create a user, create an event and find it.
    ///
    /// They contain the first app secret, so only the operator should see them. If the server
    /// listens on all addresses, they use this machine's.
    static func text(for configuration: Configuration) throws(SettingError) -> String {
        guard let secret = configuration.appSecrets.first else { throw .missingAppSecret }
        let host = Configuration.localAddress(of: configuration.host)
        let root = "http://\(host.contains(":") ? "[\(host)]" : host):\(configuration.port)"
        let url = root + "/v1"
        return #"""
            # Create a user and keep its token:
            secret=\#(secret.quotedForShell)
            token=$(curl -sg -X POST -H "tb-app-secret: $secret" '\#(url)/users' |
              sed -E 's/.*"auth_token":"([^"]*)".*/\1/')

            # Create an event:
            curl -sg -H "tb-auth-token: $token" -H 'Content-Type: application/json' \
              -d '{"name":"Picnic","lat":37.76,"lon":-122.43,"started_at":"2030-09-16T12:00:00Z"}' \
              '\#(url)/events'

            # Find the nearest event within a kilometre:
            curl -sg '\#(url)/events?lat=37.7602&lon=-122.4303&radius=1&limit=1'

            # In a browser:
            #   \#(root)/      the welcome page
            #   \#(root)/docs  the API documentation, with a form for every endpoint
            """#
    }
}
