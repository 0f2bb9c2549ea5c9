import Rules
import System

/// Checks for free disk space.
package enum DiskSpace {
    /// Throws `OperatorError` with `advice` if a file of this size doesn't fit on the disk.
    package static func check(for path: String, bytes: Int, _ advice: String) throws {
        guard let free = LocalFile.freeBytes(at: LocalFile.folder(of: LocalFile.resolved(path))),
            free < bytes
        else { return }
        throw OperatorError(
            """
            There is not enough disk space for "\(path)": it needs \(ByteCount.text(bytes)), and \
            \(ByteCount.text(free)) are free. \(advice)
            """
        )
    }
}
