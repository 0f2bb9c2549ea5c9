import Foundation

/// A file of its own for one test, gone with the value.
package final class TemporaryFile {
    package let path: String

    package init(_ content: some Sequence<UInt8>, suffix: String = "") throws {
        path = NSTemporaryDirectory() + "humon-\(UUID().uuidString)\(suffix)"
        try Data(content).write(to: URL(fileURLWithPath: path))
    }

    /// A named pipe, which nobody writes to.
    package init(pipeWithSuffix suffix: String) throws {
        path = NSTemporaryDirectory() + "humon-\(UUID().uuidString)\(suffix)"
        guard unsafe mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    package convenience init(_ text: String, suffix: String = "") throws {
        try self.init(Array(text.utf8), suffix: suffix)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
