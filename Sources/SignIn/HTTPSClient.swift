import CCurl

/// A client that makes one request at a time by HTTPS, with libcurl.
@safe
struct HTTPSClient: Sendable {
    /// The time limit of a request, in ms.
    private static let milliseconds = 5000

    // Pointers are not Sendable. This one is safe for all threads: the table is filled before other
    // threads can access it, and never changes afterwards.
    nonisolated(unsafe) private let functions: UnsafePointer<HumonLibcurl>
    private let authorities: String?

    /// Loads libcurl; `authorities` is a file with certificates, nil for those of the system.
    init(authorities: String?) throws(SignInLibraryError) {
        let table = UnsafeMutablePointer<HumonLibcurl>.allocate(capacity: 1)
        guard unsafe humon_load_libcurl(table) else { throw SignInLibraryError() }
        unsafe functions = UnsafePointer(table)
        self.authorities = authorities
    }

    /// Returns the body of the response to a GET request; blocks for 5 s at most.
    ///
    /// Throws `KeyError` without a response, for any status but 200, and for more than 64 KiB.
    func get(_ url: String) throws(KeyError) -> [UInt8] {
        var body: [UInt8] = []
        let status = unsafe withUnsafeMutablePointer(to: &body) { body in
            func get(_ authorities: UnsafePointer<CChar>?) -> Int {
                unsafe humon_curl_get(functions, url, authorities, Self.milliseconds, write, body)
            }
            return authorities.map { unsafe $0.withCString(get) } ?? get(nil)
        }
        if body.count > KeySet.maximumBytes { throw KeyError("the response has over 64 KiB") }
        if status < 0 {
            let reason = unsafe functions.pointee.curl_easy_strerror(Int32(clamping: -status))
            throw KeyError(unsafe String(cString: reason))
        }
        if status != 200 { throw KeyError("the status of the response is \(status)") }
        return body
    }
}

/// Appends a piece of a response to an array of bytes, unless that is too long already.
@unsafe
private func write(
    _ piece: UnsafeMutablePointer<CChar>?,
    _ one: Int,
    _ count: Int,
    _ body: UnsafeMutableRawPointer?
) -> Int {
    guard let body = unsafe body?.assumingMemoryBound(to: [UInt8].self),
        unsafe body.pointee.count <= KeySet.maximumBytes
    else { return 0 }
    unsafe body.pointee += UnsafeRawBufferPointer(start: piece, count: count)
    return count
}
