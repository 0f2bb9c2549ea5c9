package import Foundation

/// A request of the API, before it has a server and a token.
package struct Call: Sendable {
    /// The cause why a repetition of a failed request is safe.
    package enum Repetition: Sendable {
        /// Performing the request twice is the same as once.
        case harmless
        /// One `Idempotency-Key` for all attempts.
        case key
        /// Nothing: the request is sent once.
        case unsafe
    }

    let method: String
    /// The path after `v1/`.
    let path: String
    var query: [URLQueryItem] = []
    var headers: [String: String] = [:]
    package var body: Data?
    /// The time for which the server may wait, beyond that of the settings.
    var moreTime = Duration.zero
    let repetition: Repetition
    /// Whether the call makes no sense without a token.
    let needsToken: Bool
    /// The status of a repetition that means success: the first attempt has done the work.
    var statusOfRepetition: Int?

    package init(
        _ method: String,
        _ path: String,
        _ repetition: Repetition,
        needsToken: Bool = true
    ) {
        (self.method, self.path) = (method, path)
        (self.repetition, self.needsToken) = (repetition, needsToken)
    }

    /// Returns a call that only reads.
    package static func get(_ path: String, needsToken: Bool = false) -> Call {
        Call("GET", path, .harmless, needsToken: needsToken)
    }

    /// Returns a call that deletes a record; a repetition doesn't find the record any more.
    static func delete(
        _ path: String,
        _ repetition: Repetition = .harmless,
        statusOfRepetition: Int = 404
    ) -> Call {
        var call = Call("DELETE", path, repetition)
        call.statusOfRepetition = statusOfRepetition
        return call
    }

    /// Returns a copy with this value as its JSON.
    func with(_ value: some Encodable) throws(HumonError) -> Call {
        var call = self
        do { call.body = try JSONEncoder().encode(value) } catch {
            throw HumonError(.badRequest, "A value can't be sent as JSON: \(error)")
        }
        return call
    }

    /// Returns a copy with another header, unless the value is nil.
    package func header(_ name: String, _ value: String?) -> Call {
        var call = self
        if let value { call.headers[name] = value }
        return call
    }
}
