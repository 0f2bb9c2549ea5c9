import Glibc

/// To whom the files of a database belong: to the owner of the database or, where there is none
/// yet, of its folder.
///
/// The superuser, who restores at night, would else leave files that the server may not open.
package struct DatabaseOwner {
    private let user: uid_t
    private let group: gid_t

    /// The owner of the database at this path, as it is now; nil if that can't be known.
    package init?(ofDatabase path: String) {
        var information = stat()
        guard
            unsafe stat(path, &information) == 0
                || stat(DatabaseFile.folder(of: path), &information) == 0
        else { return nil }
        user = information.st_uid
        group = information.st_gid
    }

    /// Gives the owner a file that this process has made itself.
    ///
    /// Nobody but the superuser can do that, and nobody else has to. A file that was there before
    /// must not be given away: it may be a link to another one.
    package func take(_ descriptor: Int32) {
        guard geteuid() == 0 else { return }
        // Where a file can't be given away, as on some networks, the server will say so.
        _ = fchown(descriptor, user, group)
    }
}
