import RateLimiting

/// Why a request is refused before the model is asked.
enum RequestError: Error, Equatable {
    /// The body can't be parsed; the text says where and what.
    case malformed(String)
    /// A parameter is not there without which nothing can be done.
    case parameterMissing
    /// The body is of a media type that no endpoint reads.
    case unsupportedMediaType
    case unauthorized
    /// There is no token, or a blank one, where somebody has to be signed in.
    case signInRequired
    /// Nobody is signed in with this token.
    case unknownAccessToken
    /// No account has this e-mail address and this password.
    case wrongCredentials
    case notFound
    /// A sign-up without the right to it, which the client sees as `notFound`; the text, for the
    /// log alone, says why.
    case signUpRejected(String)
    /// The path is known but not with this method; `allow` lists those that are.
    case methodNotAllowed(allow: String)
    /// The record is not as the request demands; `etag` is its current one, if it has any.
    case preconditionFailed(etag: String?)
    /// Whoever asks has asked too often.
    case tooManyRequests(RateLimiter.Refusal)
}
