import CLinux
package import Glibc

/// Functions of paths and the files there.
package enum LocalFile {
    /// Returns the target of a symbolic link, and any other path unchanged.
    ///
    /// A writer can then replace the target and keep the link.
    package static func resolved(_ path: String) -> String {
        guard isLink(path), let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns whether there is a symbolic link at the path, even if its target is missing.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the path of the file's folder, without resolving it.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the part after the last slash.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Resolves a path relative to a folder; an absolute path stays the same.
    package static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : folder + "/" + path
    }

    /// Removes the slashes at the end of a folder's path, which mean nothing.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// Returns the names in a folder in any order, or no names if it can't be read.
    package static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name is zero-terminated in the entry, which is valid until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { start in
                    unsafe String(cString: start)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the status of a file, or of a symbolic link's target; nil if it can't be read.
    package static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Returns whether there is nothing at the path; false if that is unknown.
    ///
    /// A symbolic link is something, even if its target is missing.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Returns whether this user lacks the right to read the file or to enter one of its folders.
    package static func isForbidden(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 && errno == EACCES
    }

    /// Returns whether both paths are the same file, or would be if it existed.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        if let isSame = areOne(path, other) { return isSame }
        return name(of: path) == name(of: other)
            && areOne(folder(of: path), folder(of: other)) == true
    }

    /// Returns whether both paths are the same file or folder, or nil if one doesn't exist.
    private static func areOne(_ path: String, _ other: String) -> Bool? {
        guard let status = status(path), let otherStatus = Self.status(other) else { return nil }
        return status.st_ino == otherStatus.st_ino && status.st_dev == otherStatus.st_dev
    }

    /// Returns the free space on the file system of this path in bytes, or nil if unknown.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt(status.f_bavail).multipliedReportingOverflow(
            by: UInt(status.f_frsize)
        )
        return overflow ? .max : Int(clamping: bytes)
    }

    /// Returns the type of the file system of this path (statfs(2)), or nil if unknown.
    package static func filesystem(of path: String) -> Int? {
        var status = statfs()
        return unsafe statfs(path, &status) == 0 ? Int(status.f_type) & 0xFFFF_FFFF : nil
    }

    /// Returns once the names in the file's folder are on disk.
    static func syncFolder(of path: String) throws(FileError) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last(path: path) }
    }
}
