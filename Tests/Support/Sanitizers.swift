import Foundation

/// The sanitizers that the tests may be built with; see bin/test.
package enum Sanitizers {
    /// The part of the environment by which they are set, and which a process that a test starts
    /// must have too, so that its reports are found.
    package static let environment = ProcessInfo.processInfo.environment.filter { name, _ in
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains(name)
    }
}
