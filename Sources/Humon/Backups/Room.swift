/// The room for a file that is to be written.
enum Room {
    /// Throws `CommandError` with this advice if a file of this size would not fit on the disk.
    static func check(for path: String, bytes: Int, _ advice: String) throws {
        guard let free = FilePath.freeBytes(at: FilePath.folder(of: FilePath.resolved(path))),
            free < bytes
        else { return }
        throw CommandError(
            """
            There is no room for "\(path)": \(ByteCount.text(bytes)) are needed, and \
            \(ByteCount.text(free)) are free. \(advice)
            """
        )
    }
}
