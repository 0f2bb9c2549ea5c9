import HTTP

/// The chunked decoder: one outcome however the bytes arrive, and what was encoded comes back.
///
/// The first byte chooses the limits, the second the size of the pieces, and the third that of the
/// chunks; the rest is a body as it arrives, and then a body to be encoded.
func fuzzChunks(_ input: inout FuzzInput) {
    let limits = Limits.chosen(by: &input)
    let pieceSize = input.choice(below: 64) + 1
    let chunkSize = input.choice(below: 64) + 1
    let bytes = input.rest()

    let whole = Reading(head + bytes, limits: limits)
    whole.check(limits)
    let pieces = cuts(bytes.count, every: pieceSize).map { head.count + $0 }
    expect(
        Reading(head + bytes, cuts: pieces, limits: limits) == whole,
        "pieces of \(pieceSize) bytes are read otherwise than \(whole)"
    )
    let encoded = Reading(head + chunked(bytes, size: chunkSize))
    expect(encoded.error == nil, "\(encoded) of an encoded body")
    expect(encoded.requests.map(\.body) == [bytes], "\(encoded) of an encoded body")
}

private let head = Array(
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
)

private func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
    var coded: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: size) {
        let chunk = body[start..<min(start + size, body.count)]
        coded += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [0x0D, 0x0A]
    }
    return coded + Array("0\r\n\r\n".utf8)
}
