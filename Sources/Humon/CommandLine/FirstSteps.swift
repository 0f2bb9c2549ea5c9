/// The text of `humon examples`: lines to paste into a terminal.
package enum FirstSteps {
    /// curl commands that create a user and an event and find it, for a server so configured.
    ///
    /// They hold the first app secret, so they are for the eyes of the operator alone. The address
    /// is this machine's where the server listens on every one.
    package static func text(for configuration: Configuration) throws(SettingError) -> String {
        guard let secret = configuration.appSecrets.first else { throw .missingAppSecret }
        let root = "http://\(authority(of: configuration))"
        let url = root + "/v1"
        return #"""
            # Create a user and keep its token:
            secret=\#(quoted(secret))
            token=$(curl -sg -X POST -H "tb-app-secret: $secret" '\#(url)/users' |
              sed -E 's/.*"auth_token":"([^"]*)".*/\1/')

            # Create an event:
            curl -sg -H "tb-auth-token: $token" -H 'Content-Type: application/json' \
              -d '{"name":"Picnic","lat":37.76,"lon":-122.43,"started_at":"2030-09-16T12:00:00Z"}' \
              '\#(url)/events'

            # Find the nearest event within a kilometre:
            curl -sg '\#(url)/events/nearests?lat=37.7602&lon=-122.4303&radius=1&limit=1'

            # In a browser:
            #   \#(root)/      what this server is
            #   \#(root)/docs  every endpoint, to try out
            """#
    }

    private static func authority(of configuration: Configuration) -> String {
        switch configuration.host {
        case "0.0.0.0": "127.0.0.1:\(configuration.port)"
        case "::": "[::1]:\(configuration.port)"
        case let host where host.contains(":"): "[\(host)]:\(configuration.port)"
        case let host: "\(host):\(configuration.port)"
        }
    }

    /// The text as one word of a POSIX shell.
    private static func quoted(_ text: String) -> String {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
