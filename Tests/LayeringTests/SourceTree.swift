import Foundation
import Testing

/// A file of the package's own source.
struct SourceFile {
    /// Relative to the package, such as `Sources/HTTP/Method.swift`.
    let path: String
    let text: String
    let lexed: LexedSource

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lexed = LexedSource(text)
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The folder under `Sources`, which is the name of its target.
    var layer: String {
        path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    }
}

extension [SourceFile] {
    /// Returns each finding in a file after the file's path.
    func findings(_ find: (SourceFile) throws -> [String]) rethrows -> [String] {
        try flatMap { file in try find(file).map { "\(file.path): \($0)" } }
    }
}

/// The package on disk.
enum SourceTree {
    static let sources = files(under: "Sources")
    static let tests = files(under: "Tests")
    static let all = sources + tests + files(under: "Plugins") + files(under: "Examples")

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static let root: URL = {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        return file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }()

    private static func files(under folder: String) -> [SourceFile] {
        let base = root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        // A package in a folder has a build of its own, with generated files.
        let written = (paths ?? []).filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
        return written.sorted().compactMap { path in
            let text = try? String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
            return text.map { SourceFile(path: "\(folder)/\(path)", text: $0) }
        }
    }
}
