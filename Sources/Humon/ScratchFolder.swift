import System
import Glibc

/// A folder for files that a command deletes at its end.
struct ScratchFolder {
    let path: String

    /// Creates a folder; TMPDIR decides where.
    ///
    /// - Throws: `FileError`.
    init() throws {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let template = (parent.isEmpty ? "/tmp" : parent) + "/humon-test-XXXXXX"
        guard let pattern = unsafe strdup(template) else { throw FileError.last(path: template) }
        defer { unsafe free(pattern) }
        guard unsafe mkdtemp(pattern) != nil else { throw FileError.last(path: template) }
        path = unsafe String(cString: pattern)
    }

    /// Deletes the folder and its files.
    func remove() {
        for name in LocalFile.names(in: path) { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }
}
