import Foundation

/// The sanitizers that the tests may be built with; see bin/test.
package enum Sanitizers {
    /// The environment of a process that a test starts: these settings, and those by which the
    /// sanitizers are set, so that its reports are found.
    ///
    /// In such a process leaks are reports, too. In that of the tests they are not looked for:
    /// Foundation has some, and a server that gives up a request never frees it.
    package static func environment(with settings: [String: String]) -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        var settings = settings
        settings["TSAN_OPTIONS"] = environment["TSAN_OPTIONS"]
        settings["LSAN_OPTIONS"] = environment["LSAN_OPTIONS"]
        settings["ASAN_OPTIONS"] = environment["ASAN_OPTIONS"].map { $0 + " detect_leaks=1" }
        return settings
    }
}
