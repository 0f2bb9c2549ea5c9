import HTTP
import Time

/// Responses: no value ends its line or the head, and the head has the lines it must.
///
/// The first byte chooses how the connection goes on, the next eight the status; then come values,
/// and last the body.
func fuzzHeaders(_ input: inout FuzzInput) {
    let choice = input.choice(below: 8)
    let status = Status(Int(input.integer()))
    var values = input.texts()
    let body = Array((values.popLast() ?? "").utf8)
    var headers = Headers()
    for value in values { headers.append("x-value", value) }
    var output: [UInt8] = []
    ResponseSerializer.append(
        Response(status, headers: headers, body: body),
        to: &output,
        isHead: choice & 1 != 0,
        keepsAlive: choice & 2 != 0,
        isHTTP10: choice & 4 != 0,
        date: HTTPDate.bytes(Timestamp(milliseconds: Int64(choice) * 1000))
    )

    let hasBody = choice & 1 == 0 && status.code >= 200 && ![204, 304].contains(status.code)
    let end = output.count - (hasBody ? body.count : 0)
    expect(output.dropFirst(end).elementsEqual(hasBody ? body : []), "the body")
    checkHead(Array(output.prefix(end)), values: values)
    for value in values { _ = ETag.matches(ifNoneMatch: value, etag: ETag.make(for: body.span)) }
}

private func checkHead(_ head: [UInt8], values: [String]) {
    expect(head.starts(with: Array("HTTP/1.1 ".utf8)), "the status line")
    guard let end = head.firstIndex(of: 0x0A) else { finding("the status line does not end") }
    // A request has the same fields, and its parser is strict.
    let request = Array("GET / HTTP/1.0".utf8) + [0x0D] + head[end...]
    guard let found = try? fields(in: request) else { finding("the head can't be read") }
    expect(found.filter { $0.name == "x-value" }.map(\.value) == values.map(\.trimmed), "values")
    let names = Set(["date", "x-content-type-options", "content-length", "connection", "x-value"])
    expect(found.allSatisfy { names.contains($0.name) }, "a field too many in \(found)")
}

/// The fields of a request, whose body may be missing.
private func fields(in request: [UInt8]) throws(ParseError) -> [Headers.Field] {
    var limits = Limits()
    limits.headBytes = .max
    limits.headerCount = .max
    limits.bodyBytes = .max
    var parser = RequestParser(limits: limits)
    let progress = try parser.parse(request.span)
    if case .complete(let request) = progress.outcome { return request.headers.fields }
    return parser.partialRequest?.headers.fields ?? []
}

extension String {
    /// What arrives of a value: spaces for control characters, and none around it.
    fileprivate var trimmed: String {
        let bytes = utf8.map { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) ? $0 : 0x20 }
        let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        let end = start.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: end.reversed(), as: UTF8.self)
    }
}
