import Foundation
import Testing

/// What apps are compiled against.
@Suite struct PublicInterfaceTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let file = folder.appending(path: "HumonClient.api")

    @Test func `equals the reviewed file`() throws {
        let declarations = try ["HumonClient", "HumonOutbox"].flatMap { target in
            let sources = Self.folder.appending(path: "../../Sources/\(target)").standardized
            let names = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            return try names.filter { $0.hasSuffix(".swift") }.sorted().flatMap { name in
                let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
                let declarations = Self.declarations(in: text)
                return declarations.isEmpty ? [] : ["// " + name] + declarations
            }
        }
        if ProcessInfo.processInfo.environment["HUMON_WRITE_API"] != nil {
            let text = declarations.joined(separator: "\n") + "\n"
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let reviewed = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
            .map(String.init)

        let changes = declarations.difference(from: reviewed).map { change in
            switch change {
            case .insert(_, let line, _): "+ " + line
            case .remove(_, let line, _): "- " + line
            }
        }

        #expect(
            changes == [],
            """
            The interface has changed. A line with - can break apps. To accept the changes, run \
            HUMON_WRITE_API=1 swift test --filter PublicInterfaceTests
            """
        )
    }

    @Test func `finds each declaration without its body`() {
        let text = """
            public import Foundation
            /// public
            public struct A: Sendable {
                let hidden = 1
                @concurrent public func a(
                    _ b: Int = 1,
                    c: () -> Int
                ) async throws -> Int {
                    switch b { case 1: 2 }
                }
                public var d: Int { 3 }
                public enum Kind {
                    /// E.
                    case e(Int)
                    public var f: Int {
                        switch self {
                        case .e(let g): g
                        }
                    }
                }
                private enum Key { case f }
            }
            public protocol P {
                func g()
            }
            """

        #expect(
            Self.declarations(in: text) == [
                "public struct A: Sendable",
                "    @concurrent public func a( _ b: Int = 1, c: () -> Int ) async throws -> Int",
                "    public var d: Int", "    public enum Kind", "        case e(Int)",
                "        public var f: Int",
                "public protocol P", "    func g()",
            ]
        )
    }

    /// Returns the public declarations of a file, each as one line.
    private static func declarations(in text: String) -> [String] {
        var found: [String] = []
        // The end of the enum or protocol around the line, whose members are public, too.
        var end: String?
        var lines = text.split(separator: "\n")[...]
        while let line = lines.popFirst() {
            if line == end ?? "" { end = nil }
            let indentation = line.prefix { $0 == " " }
            let code = line.dropFirst(indentation.count)
            // `case .a` is a pattern.
            let isMember =
                end != nil && ["case ", "func ", "init("].contains(where: code.hasPrefix)
                && !code.hasPrefix("case .")
            guard code.contains("public ") || isMember, !code.hasPrefix("//"),
                !code.contains("import ")
            else { continue }
            var declaration = String(line)
            while declaration.count(where: { $0 == "(" }) > declaration.count(where: { $0 == ")" }),
                let more = lines.popFirst()
            {
                declaration += " " + more.drop { $0 == " " }
            }
            if ["public enum ", "public protocol "].contains(where: declaration.contains) {
                end = indentation + "}"
            }
            let head = declaration.firstRange(of: " {").map { declaration[..<$0.lowerBound] }
            found.append(String(head ?? declaration[...]))
        }
        return found
    }
}
