import Foundation
import Glibc
import Logging
import Testing
import System

/// A named pipe, whose reader can go and come again.
final class LogPipe {
    /// Where the log is written to.
    let input: Int32
    /// Where the log is read from.
    private(set) var output: Int32 = -1
    private let folder: String
    private var path: String { folder + "/pipe" }

    init() throws {
        folder = NSTemporaryDirectory() + "humon-log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try #require(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        // A reader and writer at once, because each of them alone would wait for the other.
        let both = unsafe open(folder + "/pipe", O_RDWR | O_CLOEXEC)
        input = unsafe open(folder + "/pipe", O_WRONLY | O_CLOEXEC)
        try openOutput()
        close(both)
    }

    deinit {
        closeOutput()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func openOutput() throws {
        output = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(output >= 0)
    }

    func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Closes the logger and its end of the pipe, and returns all that it writes until then.
    func text(whenClosed logger: Logger) throws -> String {
        let closer = try POSIXThread { [input] in
            logger.flush()
            logger.close()
            close(input)
        }
        let text = Self.text(from: output)
        closer.join()
        return text
    }

    /// What a logger of this format writes when `log` is done.
    static func lines(_ format: LogFormat, _ log: (Logger) -> Void) throws -> [String] {
        let pipe = try LogPipe()
        let logger = try Logger(level: .info, format: format, descriptor: pipe.input)
        log(logger)
        return try pipe.text(whenClosed: logger).split(separator: "\n").map(String.init)
    }

    /// Everything up to the end of a pipe.
    static func text(from output: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 3000)
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
