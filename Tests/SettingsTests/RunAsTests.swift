import Testing

@testable import Settings

/// The values of `RUN_AS`.
@Suite struct RunAsTests {
    @Test(
        arguments: [
            ("none", "none"), ("None", "none"), ("10001:10002", "10001:10002"),
            ("010001:1", "10001:1"), ("1:4294967294", "1:4294967294"),
        ]
    )
    func `takes two numbers`(value: String, shown: String) throws {
        let resolved = try Self.resolve(value)

        let setting = try #require(Setting.named("RUN_AS"))
        #expect(setting.text(resolved.configuration) == shown)
        #expect((resolved.configuration.runAs?.text ?? "none") == shown)
    }

    @Test(
        arguments: [
            "0:0", "0:1", "1:0", "10001", "root", "humon:humon", "1:2:3", "1:", ":1", "-1:1",
            "+1:1", "1 :1", "4294967295:1", "1:4294967295", "4294967296:1",
            "99999999999999999999:1", "off",
        ]
    )
    func `refuses root and everything else`(value: String) {
        let error = SettingError.invalid(
            name: "RUN_AS",
            value: "\"\(value)\"",
            allowed: "none, or two numbers above 0 such as 10001:10001",
            origin: .environment
        )

        #expect(throws: error) { try Self.resolve(value) }
    }

    private static func resolve(_ value: String) throws -> ResolvedConfiguration {
        try SettingSources(environment: ["RUN_AS": value])
            .resolve(over: Configuration(coreCount: 1, isTerminal: false))
    }
}
