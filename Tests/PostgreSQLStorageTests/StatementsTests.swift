import Foundation
import PostgreSQLStorage
import System
import Testing

/// The list of all statements is complete.
@Suite struct StatementsTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    @Test func listsEveryStatement() throws {
        let texts = try Self.texts(where: { $0.contains("/Statements/") })
        let statement = #/static let \w+(: (StaticString|SQL) =| = SQL\()/#
        let count = texts.reduce(0) { $0 + $1.matches(of: statement).count }

        let all = Statements.ofThisStorage + Statements.ofDoctor + Statements.ofChangeLog
        #expect(all.count == count)
        #expect(Set(all.map { "\($0)" }).count == count)
    }

    @Test func listsEverySharedStatement() throws {
        let texts = try Self.texts(of: "SharedStorage") { _ in true }
        let statement =
            #/static let \w+(: SharedSQL =| = (SharedSQL|RecordCreation)\(| = RecordQuery<)/#
        let count = texts.reduce(0) { $0 + $1.matches(of: statement).count }

        let all = Statements.all.dropFirst(Statements.ofThisStorage.count)
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

    private static func texts(
        of layer: String = "PostgreSQLStorage",
        where isIncluded: (String) -> Bool
    ) throws -> [String] {
        let folder = sources.appendingPathComponent(layer)
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let urls = (files?.allObjects as? [URL] ?? []).filter { url in
            url.pathExtension == "swift" && isIncluded(url.path)
        }
        #expect(!urls.isEmpty)
        return try urls.map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
