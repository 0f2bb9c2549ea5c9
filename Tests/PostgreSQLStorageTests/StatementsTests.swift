import Foundation
import PostgreSQLStorage
import System
import Testing

/// The list of all statements is complete.
@Suite struct StatementsTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/PostgreSQLStorage")

    @Test func listsEveryStatement() throws {
        let texts = try Self.texts(where: { $0.contains("/Statements/") })
        let statement = #/static let \w+(: (StaticString|SQL) =| = SQL\()/#
        let count = texts.reduce(0) { $0 + $1.matches(of: statement).count }

        let all = Statements.ofThisStorage + Statements.ofDoctor + Statements.ofChangeLog
        #expect(all.count == count)
        #expect(Set(all.map { "\($0)" }).count == count)
    }

    @Test func hasNoSQLElsewhere() throws {
        for text in try Self.texts(where: { !$0.contains("/Statements/") }) {
            #expect(!text.contains(#/"(SELECT|INSERT|UPDATE|DELETE|WITH|BEGIN|COMMIT)\b/#))
            #expect(!text.contains(#/\n +(SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-z]/#))
        }
    }

    @Test func neverAsksTheServerForTheTime() {
        for statement in Statements.all + Statements.ofTables {
            let text = "\(statement)".lowercased()
            #expect(!text.contains("now()") && !text.contains("current_timestamp"))
        }
    }

    private static func texts(where isIncluded: (String) -> Bool) throws -> [String] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let urls = (files?.allObjects as? [URL] ?? []).filter { url in
            url.pathExtension == "swift" && isIncluded(url.path)
        }
        #expect(!urls.isEmpty)
        return try urls.map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
