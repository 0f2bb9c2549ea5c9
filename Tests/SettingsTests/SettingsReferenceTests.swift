import Foundation
import Testing

@testable import Settings

/// The files that `humon settings` writes are current.
@Suite struct SettingsReferenceTests {
    @Test(
        arguments: [
            ("docs/settings.md", SettingsReference.Format.markdown), (".env.example", .env),
        ]
    )
    func `is what humon settings writes`(
        name: String,
        format: SettingsReference.Format
    ) throws {
        let isCurrent = try content(of: name) == SettingsReference.text(as: format) + "\n"

        #expect(isCurrent, "run `humon settings --format \(format.rawValue) > \(name)`")
    }

    @Test func `.env.example can be read as it is`() throws {
        let file = try DotEnvFile(path: ".env", text: try content(of: ".env.example"))

        #expect(file.entries.map(\.name) == ["TB_APP_SECRET"])
    }

    private func content(of name: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }

    private var root: URL {
        URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }
}
