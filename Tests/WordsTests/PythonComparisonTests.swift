import CUTF8Proc
import Foundation
import Testing

@testable import Words

private let python = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

/// The module against a program in Python, which has its own tables of Unicode.
@Suite(.enabled(if: python != nil, "python3 was not found."))
struct PythonComparisonTests {
    /// What Python makes of a text.
    private struct Row: Decodable {
        let text: String
        let folded: String
        let words: [String]
        let query: [String]
        let tag: String

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            text = try values.decode(String.self)
            folded = try values.decode(String.self)
            words = try values.decode([String].self)
            query = try values.decode([String].self)
            tag = try values.decode(String.self)
        }
    }

    @Test(arguments: [["characters"], ["texts", "46", "10000"]])
    func `folds and cuts as Python does`(arguments: [String]) throws {
        let rows = try rows(arguments)
        // Each library may know characters that the other doesn't.
        let known = rows.filter { row in
            row.text.unicodeScalars.allSatisfy { $0.category != UTF8PROC_CATEGORY_CN }
        }

        let different = known.filter { row in
            let query = WordQuery(row.text).words.map { $0.text + ($0.isPrefix ? "*" : "") }
            return
                !(scalars([FoldedText(row.text).text]) == scalars([row.folded])
                && scalars(SearchWords.distinct(in: [row.text], maximum: .max))
                    == scalars(row.words)
                && scalars(query) == scalars(row.query)
                && Tag.normalized(row.text) == Array(row.tag.unicodeScalars))
        }

        #expect(known.count > 5000)
        #expect(different.map(\.text) == [])
        // A text finds itself.
        #expect(known.allSatisfy { WordQuery($0.text).matches($0.words) })
    }

    /// Strings with the same characters, which `==` of strings doesn't need.
    private func scalars(_ texts: [String]) -> [[Unicode.Scalar]] {
        texts.map { Array($0.unicodeScalars) }
    }

    private func rows(_ arguments: [String]) throws -> [Row] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: try #require(python))
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "words.py"
        )
        process.arguments = [program.path] + arguments
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([Row].self, from: data)
    }
}
