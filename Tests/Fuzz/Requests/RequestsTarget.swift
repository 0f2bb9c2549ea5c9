import HTTP

/// The request parser: one outcome however the bytes arrive, and no limit is passed.
///
/// The first byte chooses the limits, the second the size of the pieces in which the rest arrives.
func fuzzRequests(_ input: inout FuzzInput) {
    let limits = Limits.chosen(by: &input)
    let size = input.choice(below: 64) + 1
    let bytes = input.rest()

    let whole = Reading(bytes, limits: limits)
    whole.check(limits)
    expect(
        Reading(bytes, cuts: cuts(bytes.count, every: size), limits: limits) == whole,
        "pieces of \(size) bytes are read otherwise than \(whole)"
    )
    // Each cut gives the parser all bytes again that it has not consumed.
    if bytes.count <= 256 {
        expect(
            Reading(bytes, cuts: cuts(bytes.count, every: 1), limits: limits) == whole,
            "single bytes are read otherwise than \(whole)"
        )
    }
}

extension Limits {
    /// Those of the server, or ones that a short input reaches.
    static func chosen(by input: inout FuzzInput) -> Limits {
        var limits = Limits()
        let choice = input.choice(below: 8)
        if choice & 1 != 0 { limits.headBytes = 96 }
        if choice & 1 != 0 { limits.headerCount = 3 }
        if choice & 2 != 0 { limits.targetBytes = 12 }
        if choice & 4 != 0 { limits.bodyBytes = 20 }
        if choice & 4 != 0 { limits.chunkExtensionBytes = 8 }
        return limits
    }
}

extension Reading {
    /// What holds of any bytes.
    func check(_ limits: Limits) {
        // An empty line before a head is no part of it.
        expect(leftover <= limits.headBytes, "\(leftover) bytes are kept")
        expect(phase != .idle || leftover <= 1, "\(leftover) bytes are kept while idle")
        for request in requests { request.check(limits) }
    }
}

extension Request {
    fileprivate func check(_ limits: Limits) {
        let targetBytes = path.utf8.count + (query.map { $0.utf8.count + 1 } ?? 0)
        // A URL without a path has the path "/".
        expect(targetBytes <= limits.targetBytes + 1, "a target of \(targetBytes) bytes")
        // HTTP/1.0 needs no Host; the one that comes from a URL is no field that was sent.
        let fieldCount = headers.fields.count - (isHTTP10 && headers["host"] != nil ? 1 : 0)
        expect(fieldCount <= limits.headerCount, "\(fieldCount) fields")
        expect(body.count <= limits.bodyBytes, "a body of \(body.count) bytes")
        expect(path.hasPrefix("/") || path == "*", "the path \(path)")
        expect(!path.contains("//"), "the path \(path)")
        expect((path + (query ?? "")).utf8.allSatisfy { (0x21...0x7E).contains($0) }, "the target")
        expect(headers["host"] != nil || isHTTP10, "no host")
        for field in headers.fields {
            expect(!field.name.isEmpty, "a field without a name")
            expect(field.name == field.name.lowercased(), "the name \(field.name)")
            expect(field.name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a field's name")
            expect(
                field.value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) },
                "a control character in \(field)"
            )
        }
    }
}
