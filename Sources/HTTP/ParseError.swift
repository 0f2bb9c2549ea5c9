/// The error for bytes that are not a valid request.
///
/// The response has `status`, and the connection is closed.
package enum ParseError: Error, Hashable, CaseIterable, Sendable {
    case malformedRequestLine
    case invalidMethod
    case invalidTarget
    case targetTooLong
    case targetNeedsTLS
    case connectUnsupported
    case unsupportedVersion

    case bareLineEnd
    case foldedField
    case invalidFieldName
    case spaceBeforeColon
    case invalidFieldValue
    case headTooLarge
    case tooManyFields

    case missingHost
    case repeatedHost
    case invalidHost
    case unknownExpectation

    case invalidContentLength
    case repeatedContentLength
    case conflictingLengths
    case contentTooLarge
    case transferEncodingInHTTP10
    case invalidTransferEncoding
    case unsupportedTransferCoding

    case invalidChunkSize
    case invalidChunkExtension
    case chunkExtensionsTooLarge
    case invalidChunkEnd
    case trailersTooLarge

    case tooManyFormPairs
}

extension ParseError {
    /// The status of the response.
    package var status: Status {
        switch self {
        case .targetTooLong: .uriTooLong
        case .targetNeedsTLS: .misdirectedRequest
        case .contentTooLarge: .contentTooLarge
        case .headTooLarge, .tooManyFields, .trailersTooLarge: .requestHeaderFieldsTooLarge
        case .unknownExpectation: .expectationFailed
        case .connectUnsupported, .unsupportedTransferCoding: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        default: .badRequest
        }
    }

    /// A sentence that says what the client must change.
    package var message: String {
        switch self {
        case .malformedRequestLine:
            "The request line must be a method, a target and HTTP/1.1, with single spaces between."
        case .invalidMethod:
            "The method must be one word of letters, digits and !#$%&'*+-.^_`|~."
        case .invalidTarget:
            "The target must be a path or an http URL, of visible ASCII without a '#'."
        case .targetTooLong: "The target is too long."
        case .targetNeedsTLS:
            "This port speaks plain HTTP, so the target can't be an https URL. Send only its path."
        case .connectUnsupported: "This server is not a proxy: CONNECT is not supported."
        case .unsupportedVersion: "Only HTTP/1.0 and HTTP/1.1 are supported."
        case .bareLineEnd:
            "Every line of the head must end with CR LF, and neither may stand alone."
        case .foldedField: "A header field must not be folded over several lines."
        case .invalidFieldName:
            "A header field must have a name of letters, digits and hyphens, followed by a colon."
        case .spaceBeforeColon:
            "There must be no space between a header field's name and its colon."
        case .invalidFieldValue: "A header field's value must not contain control characters."
        case .headTooLarge: "The request line and header fields are too large."
        case .tooManyFields: "There are too many header fields."
        case .missingHost: "An HTTP/1.1 request must have a Host field."
        case .repeatedHost: "There must be only one Host field."
        case .invalidHost: "The host must be a name or an address, with or without a port."
        case .unknownExpectation: "The only supported expectation is 100-continue."
        case .invalidContentLength: "Content-Length must be a decimal number of bytes."
        case .repeatedContentLength: "There must be only one Content-Length."
        case .conflictingLengths:
            "A request must not have both Content-Length and Transfer-Encoding."
        case .contentTooLarge: "The body is too large."
        case .transferEncodingInHTTP10:
            "HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length."
        case .invalidTransferEncoding:
            "Transfer-Encoding must name the coding chunked once, as the last one."
        case .unsupportedTransferCoding: "The only supported transfer coding is chunked."
        case .invalidChunkSize: "A chunk must begin with its size in hexadecimal digits and CR LF."
        case .invalidChunkExtension:
            "A chunk extension must be ;name, ;name=token or ;name=\"text\"."
        case .chunkExtensionsTooLarge: "The chunk extensions are too large. Send none."
        case .invalidChunkEnd: "A chunk must end with CR LF right after its data."
        case .trailersTooLarge: "The trailer fields are too large."
        case .tooManyFormPairs: "There are too many parameters."
        }
    }
}
