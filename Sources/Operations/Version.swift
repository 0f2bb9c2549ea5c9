import CBuild
import Time

/// The version of this program.
package enum Version {
    /// A semantic version, <https://semver.org>; `0.0.0-dev` unless the build was told another.
    package static let current = unsafe String(cString: humon_build_version())
    /// The commit that the program was built from; empty if it is unknown.
    package static let commit = unsafe String(cString: humon_build_commit())
    /// The URL of the folder `docs` of this version; empty if its repository or commit is unknown.
    package static let guides = {
        let repository = unsafe String(cString: humon_build_repository())
        return repository.isEmpty || commit.isEmpty ? "" : "\(repository)/blob/\(commit)/docs"
    }()
    /// The version of the compiler.
    package static var compiler: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    /// The start of the year of this release; no correct clock shows an earlier time.
    static let earliestTime = Timestamp(milliseconds: 1_767_225_600_000)
}
