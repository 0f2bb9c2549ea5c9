import Foundation

/// What the harness has called, for its next run and for the script's model.
///
/// A call without an end may have stored its write or not, because the process was killed in it.
final class Journal {
    struct Line: Codable {
        enum Operation: String, Codable {
            case create, createInvalid, update, updateInvalid, delete, attend, cancel
            case replace, discard
        }

        let number: Int
        /// What begins; nil for the end of a call.
        var operation: Operation?
        /// The number of the call that made the record.
        var target: Int?
        /// The record that the call has made.
        var record: UUID?
    }

    private(set) var lines: [Line] = []
    private let handle: FileHandle

    init(_ file: URL) throws {
        if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
        let decoder = JSONDecoder()
        let data = try Data(contentsOf: file)
        // A kill can leave a part of a line, whose call was not made or had ended.
        let complete = data.prefix((data.lastIndex(of: 10) ?? -1) + 1)
        lines = try complete.split(separator: 10).map { try decoder.decode(Line.self, from: $0) }
        handle = try FileHandle(forUpdating: file)
        try handle.truncate(atOffset: UInt64(complete.count))
        try handle.seekToEnd()
    }

    func add(_ line: Line) throws {
        try handle.write(contentsOf: JSONEncoder().encode(line) + [10])
        lines.append(line)
    }
}
