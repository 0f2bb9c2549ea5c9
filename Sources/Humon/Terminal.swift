import Glibc

/// One of the program's two ways to speak: standard output and standard error.
package struct Terminal: Sendable {
    package static let output = Terminal(descriptor: STDOUT_FILENO)
    package static let error = Terminal(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Whether a person watches, rather than a file or another program.
    package var isInteractive: Bool { isatty(descriptor) == 1 }

    /// Writes all of the text, unbuffered; what nobody reads any more is dropped.
    package func write(_ text: String) {
        try? OutputFile.write(Array(text.utf8), to: descriptor)
    }
}
