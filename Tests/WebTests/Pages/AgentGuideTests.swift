import Foundation
import Model
import Testing

@testable import Web

/// The links of `/llms.txt` to the guides in the repository.
@Suite struct AgentGuideTests {
    private func text(_ systems: Set<ServedSystem>, guides: String) -> String {
        let description = APIDescription(of: systems, hasMap: true, hasIssuers: true)
        return AgentGuide.text(description, version: "1.2.3", guides: guides)
    }

    @Test func `are left out without a repository, and without Humon`() {
        let all = Set(ServedSystem.allCases)

        let plain = text(all, guides: "")
        #expect(!plain.contains("Guides") && !plain.contains(".md"))
        let others = all.subtracting([.humon])
        #expect(text(others, guides: "https://a.test/docs") == text(others, guides: ""))
    }

    @Test func `are between the API and what is optional, and lead to pages of docs`() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let docs = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs")
        // The longest names that GitHub allows.
        let owner = String(repeating: "o", count: 39)
        let name = String(repeating: "n", count: 100)
        let commit = String(repeating: "a", count: 40)
        let folder = "https://github.com/\(owner)/\(name)/blob/\(commit)/docs"
        let all = Set(ServedSystem.allCases)

        let text = text(all, guides: folder)

        #expect(text.utf8.count <= 10_000)
        let match = try #require(text.firstMatch(of: /## Guides\n\n((?:- .*\n)+)\n## Optional\n/))
        #expect(text.replacing(/## Guides\n\n(- .*\n)+\n/, with: "") == self.text(all, guides: ""))
        let links = match.1.matches(of: /- \[[^\]]+\]\((.*?)\/docs\/(\S+\.md)\): \S.*\n/)
        #expect(links.count == match.1.split(separator: "\n").count && links.count == 12)
        for link in links {
            #expect(link.1 + "/docs" == folder)
            let page = docs.appendingPathComponent(String(link.2)).path
            #expect(FileManager.default.fileExists(atPath: page), "\(link.2)")
        }
    }
}
