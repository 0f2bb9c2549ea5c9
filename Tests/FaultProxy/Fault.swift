import HTTP
import JSON
import Randomness

/// What happens to one request, and the method of the request that it waits for.
struct Fault {
    /// All faults, with the numbers that random ones have: bytes, ms or seconds.
    private static let numbers: KeyValuePairs<String, ClosedRange<Int>?> = [
        "pass": nil, "trickle-stall": 0...600, "drop-before": nil, "drop-after": nil,
        "delay": 0...300, "delay-after": 0...300, "double": nil, "cut": 0...600, "trickle": nil,
        "429": 0...1, "503": 0...1, "408": nil, "500": nil, "502": nil, "504": nil,
        "redirect": nil, "empty": nil, "html": nil, "html-404": nil, "close-idle": nil,
    ]

    var name = "pass"
    /// At most 60,000, so that every wait is bounded.
    var number = 0
    /// The method of the requests that it applies to; nil for any.
    var method: String?

    /// The fault as a line without its method.
    var text: String {
        Self.numbers.contains { $0.key == name && $0.value != nil } ? "\(name) \(number)" : name
    }

    /// Returns any fault but `pass` and `trickle-stall`, with which clients wait for a timeout.
    static func random(using generator: inout SeededGenerator) -> Fault {
        let choice = numbers.dropFirst(2).randomElement(using: &generator)
        let number = choice?.value.map { Int.random(in: $0, using: &generator) }
        return Fault(name: choice?.key ?? "pass", number: number ?? 0)
    }

    /// Returns the response in place of the server's; nil if the request is to be forwarded.
    func response(redirectingTo location: String) -> Response? {
        if name == "empty" { return Response(.ok) }
        if name == "html" || name == "html-404" {
            let page = "<!doctype html><title>Sign in</title><p>Sign in to this network."
            let status: Status = name == "html" ? .ok : .notFound
            return Response(status, headers: ["content-type": "text/html"], body: Array(page.utf8))
        }
        guard let code = name == "redirect" ? 301 : Int(name) else { return nil }
        var response = Response.json(Status(code)) { $0.field("message", text) }
        if code == 301 { response.headers.append("location", location) }
        if code == 429 || code == 503 { response.headers.append("retry-after", String(number)) }
        return response
    }
}

extension Fault {
    /// Parses a line such as `drop-before` or `POST cut 20`; nil if it is malformed.
    init?(_ line: Substring) {
        var words = line.split(separator: " ")
        if words.first?.allSatisfy(\.isUppercase) == true { method = String(words.removeFirst()) }
        name = words.first.map(String.init) ?? ""
        guard let known = Self.numbers.first(where: { $0.key == name }),
            words.count == (known.value == nil ? 1 : 2)
        else { return nil }
        if known.value != nil { number = Int(words[1]) ?? -1 }
        guard (0...60_000).contains(number) else { return nil }
    }
}

extension Response {
    /// Returns an object of JSON with the members that `write` writes.
    static func json(_ status: Status, _ write: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        json.object(write)
        return Response(status, headers: ["content-type": "application/json"], body: json.bytes)
    }
}
