import HTTP

/// An error in a request that the model has not processed.
enum RequestError: Error, Equatable {
    /// The body can't be parsed; the text contains the position and the reason.
    case malformed(String)
    /// A required parameter is missing.
    case parameterMissing
    /// The body has none of the keys that the request can change.
    case nothingToChange(keys: [String])
    /// No endpoint accepts the media type of the body.
    case unsupportedMediaType
    /// The body has this `Content-Encoding`.
    case unsupportedEncoding(String)
    case unauthorized
    /// Like `unauthorized`, for clients that prompt for a name and a password.
    case passwordRequired
    /// The request needs a signed-in user, but its token is missing or blank.
    case signInRequired
    /// The token belongs to no session.
    case unknownAccessToken
    /// No account has this e-mail address and password.
    case wrongCredentials
    /// The host of the request is not one that the admin port serves.
    case unknownHost
    /// A host of ADMIN_HOSTS needs HTTPS; the text says what to do.
    case httpsRequired(String)
    /// A write of the admin API has a body that is not JSON.
    case jsonRequired
    /// The request has no valid token of an admin.
    case adminUnauthorized
    /// No admin who can sign in has this name and password.
    case wrongAdminCredentials
    case notFound
    /// The sign-up is not allowed; the client gets `notFound`, and the log gets the text.
    case signUpRejected(String)
    /// The path doesn't support this method; `allow` lists the methods that it does.
    case methodNotAllowed(allow: String)
    /// A precondition failed; `etag` is the record's current entity tag, if it has one.
    case preconditionFailed(etag: String?)
    /// Too many requests wait for changes.
    case tooManyStreams
    /// The client exceeds a rate limit.
    case tooManyRequests(RateLimiter.Refusal)

    /// The body is JSON, but not an object, or it should be one.
    static let notAnObject = RequestError.malformed("The body must be a JSON object.")
}

extension Optional {
    /// Returns the value; throws the error if it is nil.
    func orThrow(_ error: RequestError) throws(RequestError) -> Wrapped {
        guard let self else { throw error }
        return self
    }
}
