import CCurl
import Glibc

/// A client that makes one request at a time, with libcurl.
@safe
package struct HTTPClient: Sendable {
    /// The time limits of requests, in ms.
    private static let (getMilliseconds, postMilliseconds) = (5000, 15_000)

    // Pointers are not Sendable. This one is safe for all threads: the table is filled before other
    // threads can access it, and never changes afterwards.
    nonisolated(unsafe) private let functions: UnsafePointer<HumonLibcurl>
    private let authorities: String?

    /// Loads libcurl; `authorities` is a file with certificates, nil for those of the system.
    ///
    /// Returns nil if the library is missing.
    package init?(authorities: String?) {
        let table = UnsafeMutablePointer<HumonLibcurl>.allocate(capacity: 1)
        guard unsafe humon_load_libcurl(table) else {
            unsafe table.deallocate()
            return nil
        }
        unsafe functions = UnsafePointer(table)
        self.authorities = authorities
    }

    /// Returns the body of the response to a GET request by HTTPS; blocks for 5 s at most.
    ///
    /// Throws `HTTPClientError` without a response, for any status but 200, and for a body of more
    /// bytes than `maximum`.
    package func get(_ url: String, maximum: Int) throws(HTTPClientError) -> [UInt8] {
        var body = Body(maximum: maximum)
        let status = unsafe withUnsafeMutablePointer(to: &body) { body in
            func get(_ authorities: UnsafePointer<CChar>?) -> Int {
                unsafe humon_curl_get(
                    functions,
                    url,
                    authorities,
                    Self.getMilliseconds,
                    write,
                    body
                )
            }
            return authorities.map { unsafe $0.withCString(get) } ?? get(nil)
        }
        if body.bytes.count > maximum {
            throw HTTPClientError("the response has over \(maximum >> 10) KiB")
        }
        if status < 0 { throw HTTPClientError(reason(of: status)) }
        if status != 200 { throw HTTPClientError("the status of the response is \(status)") }
        return body.bytes
    }

    /// The response to a POST request.
    package struct Response: Equatable, Sendable {
        package let status: Int
        /// The value of `Retry-After` in s; 0 without one.
        package let retryAfter: Int

        package init(status: Int, retryAfter: Int = 0) {
            (self.status, self.retryAfter) = (status, retryAfter)
        }
    }

    /// Makes a POST request by HTTPS; blocks for 15 s at most.
    ///
    /// It follows no redirects, and drops the body of the response.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - fields: The header fields, such as `User-Agent: Humon`.
    ///   - body: The body.
    ///   - allowsPrivate: Whether private addresses and HTTP are allowed as well.
    ///   - isStopped: Returns whether to give the request up; called about once a second.
    /// - Returns: The response.
    /// - Throws: `HTTPClientError` without a response.
    package func post(
        _ url: String,
        fields: [String],
        body: [UInt8],
        allowsPrivate: Bool,
        isStopped: @escaping () -> Bool = { false }
    ) throws(HTTPClientError) -> Response {
        let context = PostContext(allowsPrivate: allowsPrivate, isStopped: isStopped)
        let table = unsafe functions
        var list: UnsafeMutableRawPointer?
        defer { unsafe table.pointee.curl_slist_free_all(list) }
        for field in fields + ["Expect:"] {
            unsafe list = table.pointee.curl_slist_append(list, field)
        }
        var retryAfter: Int64 = 0
        let status = withExtendedLifetime(context) {
            unsafe humon_curl_post(
                table,
                url,
                authorities,
                list,
                body,
                body.count,
                allowsPrivate,
                Self.postMilliseconds,
                permits,
                stops,
                Unmanaged.passUnretained(context).toOpaque(),
                &retryAfter
            )
        }
        if context.hasRefused, status < 0 { throw HTTPClientError("its address is not allowed") }
        if status < 0 { throw HTTPClientError(reason(of: status)) }
        return Response(status: status, retryAfter: Int(clamping: retryAfter))
    }

    private func reason(of status: Int) -> String {
        let reason = unsafe functions.pointee.curl_easy_strerror(Int32(clamping: -status))
        return unsafe String(cString: reason)
    }
}

/// Why there is no response, as a clause.
package struct HTTPClientError: Error, Equatable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

/// The body of a response, as far as it was read.
private struct Body {
    let maximum: Int
    var bytes: [UInt8] = []
}

/// Appends a piece of a response to a body, unless that is too long already.
@unsafe
private func write(
    _ piece: UnsafeMutablePointer<CChar>?,
    _ one: Int,
    _ count: Int,
    _ body: UnsafeMutableRawPointer?
) -> Int {
    guard let body = unsafe body?.assumingMemoryBound(to: Body.self),
        unsafe body.pointee.bytes.count <= body.pointee.maximum
    else { return 0 }
    unsafe body.pointee.bytes += UnsafeRawBufferPointer(start: piece, count: count)
    return count
}

/// The context of the callbacks of a POST request.
private final class PostContext {
    let allowsPrivate: Bool
    let isStopped: () -> Bool
    var hasRefused = false

    init(allowsPrivate: Bool, isStopped: @escaping () -> Bool) {
        (self.allowsPrivate, self.isStopped) = (allowsPrivate, isStopped)
    }
}

@unsafe
private func permits(
    _ address: UnsafeRawPointer,
    _ size: UInt32,
    _ context: UnsafeMutableRawPointer
) -> Bool {
    let context = unsafe Unmanaged<PostContext>.fromOpaque(context).takeUnretainedValue()
    let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(size))
    if unsafe AddressRule.permits(bytes, allowsPrivate: context.allowsPrivate) { return true }
    context.hasRefused = true
    return false
}

@unsafe
private func stops(_ context: UnsafeMutableRawPointer) -> Bool {
    unsafe Unmanaged<PostContext>.fromOpaque(context).takeUnretainedValue().isStopped()
}
