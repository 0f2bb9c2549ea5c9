import HTTP
import Model

/// The decoder of queries and forms: every pair is there, and what is encoded comes back.
func fuzzForms(_ input: inout FuzzInput) {
    let form = input.rest()
    let count = form.split(separator: UInt8(ascii: "&")).count
    let pairs: [FormPair]
    do throws(ParseError) {
        pairs = try FormDecoder.pairs(form.span)
        expect(try FormDecoder.pairs(encoded(pairs)) == pairs, "\(pairs) comes back otherwise")
    } catch {
        expect(error == .tooManyFormPairs, "\(error)")
        expect(count > FormDecoder.maximumPairs, "\(count) pairs are too many")
        return
    }

    expect(count <= FormDecoder.maximumPairs, "\(count) pairs are accepted")
    expect(pairs.count == count, "\(pairs.count) of \(count) pairs")
    for pair in pairs {
        if let value = pair.value { checkNumber(value) }
    }
    checkSegment(form)
}

private func encoded(_ pairs: [FormPair]) -> String {
    pairs.map { pair in
        encoded(pair.key.utf8) + (pair.value.map { "=" + encoded($0.utf8) } ?? "")
    }
    .joined(separator: "&")
}

private func encoded(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
    .joined()
}

private func checkSegment(_ bytes: [UInt8]) {
    guard let segment = PercentEncoding.decodedSegment(bytes.span) else { return }
    let again = PercentEncoding.decodedSegment(encoded(segment.utf8).utf8.span)
    expect(again?.utf8.elementsEqual(segment.utf8) == true, "the segment \(segment)")
}

private func checkNumber(_ text: String) {
    guard let number = Checkin.number(.text(text)) else { return }
    expect(number.isFinite && Double(text) == number, "\(text) is read as \(number)")
}
