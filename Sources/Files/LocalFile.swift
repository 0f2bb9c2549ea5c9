import CLinux
package import Glibc

/// What is known of files by their paths.
package enum LocalFile {
    /// The path that a symbolic link leads to, so that the link stays what it is; any other path
    /// stays as it is.
    package static func resolved(_ path: String) -> String {
        guard isLink(path), let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether there is a symbolic link at the path, wherever it leads.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The path of the folder that the file is in, as it is written.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What comes after the last slash.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// A path that is relative to a folder; one that begins with `/` stays as it is.
    package static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : folder + "/" + path
    }

    /// The path of a folder without the slashes at its end, which mean nothing.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// The names of what is in a folder, in no order; none if it can't be read.
    package static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name ends with a zero within the entry, which lasts until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { start in
                    unsafe String(cString: start)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// What the system knows of a file, or of the one that a symbolic link leads to; else nil.
    package static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Whether both are names of one file, or would be if there were one.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        if let isSame = areOne(path, other) { return isSame }
        return name(of: path) == name(of: other)
            && areOne(folder(of: path), folder(of: other)) == true
    }

    /// Whether both lead to one file or folder; nil if one leads nowhere.
    private static func areOne(_ path: String, _ other: String) -> Bool? {
        guard let status = status(path), let otherStatus = Self.status(other) else { return nil }
        return status.st_ino == otherStatus.st_ino && status.st_dev == otherStatus.st_dev
    }

    /// The bytes that may still be written to the filesystem of this file or folder; nil if the
    /// system does not tell.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt(status.f_bavail).multipliedReportingOverflow(
            by: UInt(status.f_frsize)
        )
        return overflow ? .max : Int(clamping: bytes)
    }

    /// The number of the kind of the filesystem that a file or folder is on (statfs(2)); nil if the
    /// system does not tell.
    package static func filesystem(of path: String) -> Int? {
        var status = statfs()
        return unsafe statfs(path, &status) == 0 ? Int(status.f_type) & 0xFFFF_FFFF : nil
    }

    /// Waits until the names in the file's folder are on the disk.
    static func syncFolder(of path: String) throws(FileError) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last(path: path) }
    }
}
