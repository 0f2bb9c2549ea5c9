import System
import Glibc

/// Standard output and standard error.
package struct Terminal: Sendable {
    package static let output = Terminal(descriptor: STDOUT_FILENO)
    package static let error = Terminal(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Whether it is a terminal and not a file or a pipe.
    package var isInteractive: Bool { isatty(descriptor) == 1 }

    /// Writes the whole text, unbuffered; ignores a closed pipe.
    package func write(_ text: String) {
        try? OutputFile.write(Array(text.utf8), to: descriptor)
    }
}
