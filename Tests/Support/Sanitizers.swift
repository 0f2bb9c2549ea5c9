import Foundation

/// The sanitizers that the tests may be built with; see bin/test.
package enum Sanitizers {
    /// The part of the environment by which they are set, and which a process that a test starts
    /// must have too, so that its reports are found.
    ///
    /// In such a process leaks are reports, too. In that of the tests they are not looked for:
    /// Foundation has some, and a server that gives up a request never frees it.
    package static let environment: [String: String] = {
        let environment = ProcessInfo.processInfo.environment
        var settings: [String: String] = [:]
        settings["TSAN_OPTIONS"] = environment["TSAN_OPTIONS"]
        settings["ASAN_OPTIONS"] = environment["ASAN_OPTIONS"].map { $0 + " detect_leaks=1" }
        return settings
    }()
}
