import FoundationEssentials

/// Writes the files of a folder into a Swift file: `EmbedFiles TYPE OUTPUT FOLDER SUFFIX…`.
///
/// The output declares `enum TYPE { static let all: [(name: String, text: String)] }`, the files
/// with one of the suffixes in the order of their names.
@main
enum EmbedFiles {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4 else {
            throw Failure(description: "usage: EmbedFiles TYPE OUTPUT FOLDER SUFFIX…")
        }
        let (type, output, folder) = (arguments[1], arguments[2], arguments[3])
        let suffixes = arguments[4...]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { name in suffixes.contains { name.hasSuffix($0) } }.sorted()
        let entries = try names.map { name in
            entry(
                name: name,
                text: try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            )
        }
        let source = """
            /// Files that are embedded in the program.
            enum \(type) {
                static let all: [(name: String, text: String)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// One element of the array; the text stands in a raw literal with more number signs than any
    /// run of them in the text, so that nothing in it has a meaning to Swift.
    private static func entry(name: String, text: String) -> String {
        let signs = String(repeating: "#", count: longestRunOfSigns(in: text) + 1)
        let name = signs + "\"" + name + "\"" + signs
        let literal = signs + "\"\"\"\n" + text + "\n\"\"\"" + signs
        return "        (name: \(name), text: \(literal)),"
    }

    private static func longestRunOfSigns(in text: String) -> Int {
        var longest = 0
        var current = 0
        for byte in text.utf8 {
            current = byte == UInt8(ascii: "#") ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
