import Glibc
import Rules
import Settings
import System

/// The change from root to the user of `RUN_AS`, before a command opens the database.
enum UserChange {
    /// Gives the database's folder to the user of `RUN_AS`, and changes to that user.
    ///
    /// Does nothing without the setting. If the program isn't root's, it only checks that the
    /// folder isn't either.
    ///
    /// - Throws: `OperatorError` of the configuration if the folder can't be written afterwards, or
    ///   if the program could become root again.
    static func apply(_ configuration: Configuration) throws(OperatorError) {
        guard let user = configuration.runAs else { return }
        let wasRoot = geteuid() == 0
        if wasRoot {
            if configuration.postgresqlURL == nil {
                let path = configuration.databasePath
                try give(LocalFile.folder(of: path), LocalFile.name(of: path), to: user)
            }
            try become(user)
        }
        try check(configuration, wasRoot: wasRoot)
    }

    /// Throws `OperatorError` if the database's folder is root's and this user can't write to it.
    static func check(
        _ configuration: Configuration,
        wasRoot: Bool = false
    ) throws(OperatorError) {
        let folder = LocalFile.folder(of: configuration.databasePath)
        guard let user = configuration.runAs, configuration.postgresqlURL == nil,
            LocalFile.status(folder)?.st_uid == 0,
            unsafe faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0, errno == EACCES
        else { return }
        throw failure(
            wasRoot
                ? """
                RUN_AS doesn't give \(folder) to \(user.user), because it is a link or the root \
                folder. Set DATABASE_URL to a file in a folder of its own.
                """
                : """
                \(folder) belongs to root. Run the container with --user 0, and Humon changes to \
                \(user.user) itself, or run chown \(user.user) \(folder).
                """
        )
    }

    /// Gives a folder of root and root's files of the database in it to the user.
    ///
    /// It follows no links, and changes nothing in a folder in which every user can write, such as
    /// `/tmp`.
    private static func give(
        _ folder: String,
        _ name: String,
        to user: ProcessUser
    ) throws(OperatorError) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_uid == 0,
            status.st_mode & S_IWOTH == 0, !LocalFile.isSame(folder, "/")
        else { return }
        for file in LocalFile.names(in: folder) where file.hasPrefix(name) {
            guard unsafe fstatat(descriptor, file, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_uid == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
            else { continue }
            let flags = AT_SYMLINK_NOFOLLOW
            guard unsafe fchownat(descriptor, file, user.user, user.group, flags) == 0 else {
                throw systemFailure("\(folder)/\(file) can't be given to \(user.user)")
            }
        }
        // The folder is the last, so that a start that was interrupted is repeated.
        guard fchown(descriptor, user.user, user.group) == 0 else {
            throw systemFailure("\(folder) can't be given to \(user.user)")
        }
    }

    /// Changes to the user for good.
    private static func become(_ user: ProcessUser) throws(OperatorError) {
        guard setgroups(0, nil) == 0, setgid(user.group) == 0, setuid(user.user) == 0 else {
            throw systemFailure("Humon can't change to \(user.user)")
        }
        let isRoot = setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 || setegid(0) == 0
        guard !isRoot, getuid() == user.user, getgid() == user.group, getgroups(0, nil) == 0
        else {
            throw failure("Humon changed to \(user.user), but could become root again.")
        }
    }

    private static func systemFailure(_ problem: String) -> OperatorError {
        failure("\(problem): \(unsafe String(cString: strerror(errno))).")
    }

    private static func failure(_ explanation: String) -> OperatorError {
        OperatorError(explanation, isOfConfiguration: true)
    }
}
