import Testing

@testable import Humon
@testable import Settings

@Suite struct ExamplesCommandTests {
    @Test func `shows lines for the server's own address and first secret`() throws {
        var configuration = Configuration(coreCount: 1, isTerminal: true)
        configuration.appSecrets = ["it's", "other"]
        configuration.port = 8080

        let text = try ExamplesCommand.text(for: configuration)

        let header = #"-H "tb-app-secret: $secret""#
        #expect(text.contains(#"\#nsecret='it'\''s'\#n"#))
        #expect(text.contains("-X POST \(header) 'http://127.0.0.1:8080/v1/users' |\n"))
        #expect(text.contains("\n#   http://127.0.0.1:8080/ "))
        #expect(text.contains("\n#   http://127.0.0.1:8080/docs "))
        #expect(!text.contains("other"))
    }

    @Test(
        arguments: [
            ("0.0.0.0", "http://127.0.0.1:3000/"), ("::", "http://[::1]:3000/"),
            ("fe80::1", "http://[fe80::1]:3000/"), ("localhost", "http://localhost:3000/"),
        ]
    )
    func `names an address that can be reached`(host: String, url: String) throws {
        var configuration = Configuration(coreCount: 1, isTerminal: true)
        configuration.appSecrets = ["s"]
        configuration.host = host

        #expect(try ExamplesCommand.text(for: configuration).contains("'\(url)v1/events'"))
    }

    @Test func `needs a secret`() {
        let configuration = Configuration(coreCount: 1, isTerminal: true)

        #expect(throws: SettingError.missingAppSecret) {
            try ExamplesCommand.text(for: configuration)
        }
    }
}
