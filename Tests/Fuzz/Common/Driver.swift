import Glibc

/// What libFuzzer lets the target do with each input.
///
/// A target returns if all that must hold does, and calls `finding` otherwise.
typealias FuzzTarget = @Sendable (inout FuzzInput) -> Void

private let targets: [String: FuzzTarget] = [
    "Requests": fuzzRequests,
    "Chunks": fuzzChunks,
    "JSON": fuzzJSON,
    "Forms": fuzzForms,
    "Times": fuzzTimes,
    "PropertyLists": fuzzPropertyLists,
    "Imports": fuzzImports,
    "Logs": fuzzLogs,
    "Headers": fuzzHeaders,
    "Zones": fuzzZones,
    "Searches": fuzzSearches,
    "Cursors": fuzzCursors,
    "Words": fuzzWords,
    "IDToken": fuzzIDToken,
    "KeySet": fuzzKeySet,
]

private let target: FuzzTarget = {
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        finding("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

/// Called by libFuzzer with each input (<https://llvm.org/docs/LibFuzzer.html>).
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var input = FuzzInput(bytes)
    target(&input)
    return 0
}

/// Ends the process with a message, upon which libFuzzer prints and keeps the input.
func finding(_ message: String) -> Never {
    fatalError(message)
}

/// Ends the process unless the property holds.
func expect(_ holds: Bool, _ property: @autoclosure () -> String) {
    if !holds { finding(property()) }
}
