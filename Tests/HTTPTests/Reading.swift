import HTTP

/// What a parser made of the bytes of a connection.
struct Reading: Equatable {
    var requests: [Request] = []
    var error: ParseError?
    /// Bytes that were never consumed.
    var leftover = 0
    var phase = RequestParser.Phase.idle

    /// Feeds a parser as a connection would, with the bytes arriving in pieces that end at `cuts`.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: Limits = Limits()) {
        var parser = RequestParser(limits: limits)
        var unparsed: [UInt8] = []
        var start = 0
        do throws(ParseError) {
            for end in cuts + [bytes.count] {
                unparsed += bytes[start..<end]
                start = end
                try parse(&unparsed, with: &parser)
            }
        } catch {
            self.error = error
            return
        }
        leftover = unparsed.count
        phase = parser.phase
    }

    private mutating func parse(
        _ unparsed: inout [UInt8],
        with parser: inout RequestParser
    ) throws(ParseError) {
        while true {
            let progress = try parser.parse(unparsed.span)
            unparsed.removeFirst(progress.consumed)
            switch progress.outcome {
            case .complete(let request): requests.append(request)
            case .needsContinue: continue
            case .needsMore: return
            }
        }
    }
}

/// The requests in a text, fed at once; throws what the parser throws.
func requests(in text: String, limits: Limits = Limits()) throws -> [Request] {
    let reading = Reading(Array(text.utf8), limits: limits)
    if let error = reading.error { throw error }
    return reading.requests
}

/// The error that a text ends in; nil if it is acceptable.
func error(in text: String, limits: Limits = Limits()) -> ParseError? {
    Reading(Array(text.utf8), limits: limits).error
}
