import Foundation
import Glibc

/// A folder with an open log in it; both go with the value.
final class TemporaryFolder: Sendable {
    let path: String
    let logDescriptor: Int32

    init() throws {
        path = NSTemporaryDirectory() + "humon-spec-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false
        )
        logDescriptor = unsafe open(path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    deinit {
        close(logDescriptor)
        try? FileManager.default.removeItem(atPath: path)
    }

    var logPath: String { path + "/log" }
}
