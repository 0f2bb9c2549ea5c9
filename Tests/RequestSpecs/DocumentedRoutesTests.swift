import Foundation
import HTTP
import Testing
import Web

@Suite struct DocumentedRoutesTests {
    @Test(arguments: Routes.listing().map { "\($0.method.rawValue) \($0.pattern)" })
    func `the documentation of the APIs explains the route`(route: String) throws {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try ["humon", "todo", "mytasks", "twosquare"].map { name in
            try String(
                contentsOf: root.appendingPathComponent("docs/api/\(name).md"),
                encoding: .utf8
            )
        }.joined()

        let words = route.split(separator: " ")
        let lines = text.split(separator: "\n").map { line in
            line.split { !$0.isLetter && !$0.isNumber && !"/:._-~".contains($0) }
        }
        #expect(lines.contains { line in words.allSatisfy(line.contains) })
    }
}
