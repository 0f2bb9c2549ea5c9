import CCurl
package import Time

/// A client for one request at a time by HTTPS, with libcurl.
@safe
struct HTTPSClient: Sendable {
    /// The time limit of a request, in ms.
    private static let milliseconds = 5000

    // Pointers are not Sendable. This one is safe for all threads: the table is filled before other
    // threads can access it, and never changes afterwards.
    nonisolated(unsafe) private let functions: UnsafePointer<HumonLibcurl>
    private let authorities: String?

    /// Loads libcurl.
    ///
    /// - Parameter authorities: A file with certificates of authorities; nil for the system's.
    init(authorities: String?) throws(SignInLibraryError) {
        let table = UnsafeMutablePointer<HumonLibcurl>.allocate(capacity: 1)
        guard unsafe humon_load_libcurl(table) else { throw SignInLibraryError() }
        unsafe functions = UnsafePointer(table)
        self.authorities = authorities
    }

    /// Returns the response to a GET request; blocks for 5 s at most.
    ///
    /// - Parameters:
    ///   - url: An https URL.
    ///   - isCancelled: Called at least once a second; true ends the request.
    /// - Throws: `KeyError` without a response, for any status but 200 and for more than 64 KiB.
    func get(
        _ url: String,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(KeyError) -> HTTPSResponse {
        let receiver = Receiver(isCancelled)
        let (code, status, reason) = perform(url, receiver)
        if receiver.isTooLarge { throw KeyError("the response has over 64 KiB") }
        if code != 0 { throw KeyError(reason) }
        if status != 200 { throw KeyError("the status of the response is \(status)") }
        return receiver.response
    }

    private func perform(_ url: String, _ receiver: Receiver) -> (Int32, Int, reason: String) {
        var status = 0
        let error = UnsafeMutablePointer<CChar>.allocate(capacity: Int(HUMON_CURL_ERROR_SIZE))
        defer { unsafe error.deallocate() }
        unsafe error.initialize(repeating: 0, count: Int(HUMON_CURL_ERROR_SIZE))
        func request(_ url: UnsafePointer<CChar>, _ authorities: UnsafePointer<CChar>?) -> Int32 {
            var request = unsafe HumonCurlRequest(
                url: url,
                authorities: authorities,
                milliseconds: Self.milliseconds,
                body: { unsafe Receiver.of($3).append($0, $2) },
                header: { unsafe Receiver.of($3).readHeader($0, $2) },
                progress: { context, _, _, _, _ in
                    unsafe Receiver.of(context).isCancelled() ? 1 : 0
                },
                context: Unmanaged.passUnretained(receiver).toOpaque(),
                error: error
            )
            return unsafe humon_curl_get(functions, &request, &status)
        }
        let code = withExtendedLifetime(receiver) {
            unsafe url.withCString { url in
                guard let authorities else { return unsafe request(url, nil) }
                return unsafe authorities.withCString { unsafe request(url, $0) }
            }
        }
        let isExplained = unsafe error.pointee != 0
        let reason =
            unsafe isExplained
            ? UnsafePointer(error) : functions.pointee.curl_easy_strerror(code)
        return (code, status, unsafe String(cString: reason))
    }
}

/// The response to a request for keys.
package struct HTTPSResponse: Sendable {
    package var body: [UInt8] = []
    /// The time of the server.
    package var date: Timestamp?

    package init(body: [UInt8] = [], date: Timestamp? = nil) {
        self.body = body
        self.date = date
    }
}

/// Collects a response, on the thread that waits for it.
private final class Receiver {
    private(set) var response = HTTPSResponse()
    private(set) var isTooLarge = false
    let isCancelled: @Sendable () -> Bool

    init(_ isCancelled: @escaping @Sendable () -> Bool) {
        self.isCancelled = isCancelled
    }

    /// Returns the receiver that was passed to libcurl as context.
    @unsafe static func of(_ context: UnsafeMutableRawPointer?) -> Receiver {
        guard let context = unsafe context else { return Receiver { true } }
        return unsafe Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
    }

    /// Appends a piece of the body, and returns how many bytes of it were accepted.
    @unsafe func append(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        isTooLarge = response.body.count + count > KeySet.maximumBytes
        guard !isTooLarge else { return 0 }
        unsafe response.body += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
    }

    /// Reads a line of the header, such as `date: Sun, 06 Nov 1994 08:49:37 GMT`.
    @unsafe func readHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let line = unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count),
            as: UTF8.self
        )
        if line.lowercased().hasPrefix("date:"), let comma = line.firstIndex(of: ",") {
            response.date = WallClock.time(String(line[comma...].dropFirst().prefix(21)))
        }
        return count
    }
}
