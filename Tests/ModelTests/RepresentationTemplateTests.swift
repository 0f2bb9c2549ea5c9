import Bytes
import Testing

@testable import Model

/// A template omits what all events have in common, and gives every representation back.
@Suite struct RepresentationTemplateTests {
    private let template = RepresentationTemplate(["<a>", "<b>", "</>"])

    @Test func omitsItsParts() {
        let values = template.pack(bytes("<a>one<b>two</>").span)
        #expect(values == [1, 3] + bytes("onetwo"))
        #expect(text(values) == "<a>one<b>two</>")
    }

    @Test(arguments: [0, 1, 127, 128, 129, 16_383, 16_384, 100_000])
    func keepsValuesOfAnyLength(length: Int) {
        let whole = "<a>" + String(repeating: "x", count: length) + "<b>y</>"
        let values = template.pack(bytes(whole).span)
        #expect(values.count == whole.utf8.count - 9 + (length < 128 ? 2 : length < 16_384 ? 3 : 4))
        #expect(text(values) == whole)
    }

    @Test(arguments: [
        "", "<", "<a>", "<a></>", "<a>one<b>two<", "a>one<b>two</>", "<a>one</>", "\u{1}",
    ])
    func keepsOtherTextsWhole(whole: String) {
        let values = template.pack(bytes(whole).span)
        #expect(values == [0] + bytes(whole))
        #expect(text(values) == whole)
    }

    @Test(arguments: ["<a><b></>", "<a><a><b><b></>", "<a></><b></></>", "<a>é<b>\u{0}</>"])
    func keepsValuesLikeParts(whole: String) {
        let values = template.pack(bytes(whole).span)
        #expect(values.first == 1)
        #expect(text(values) == whole)
    }

    @Test(arguments: [[], ["<a>"]]) func withoutValuesOmitsNothing(parts: [String]) {
        let template = parts.isEmpty ? RepresentationTemplate([]) : RepresentationTemplate(["<a>"])
        let values = template.pack(bytes("<a>").span)
        #expect(values == [0] + bytes("<a>"))
        #expect(template.unpack(values.span) == bytes("<a>"))
    }

    @Test func unpacksNothingFromNothing() {
        #expect(template.unpack([UInt8]().span) == [])
    }

    @Test func listsPackedEventsLikeOthers() {
        let text = bytes("<a>one<b>two</>")
        let representation = EventRepresentation(
            event: { _ in text },
            list: (
                opening: UInt8(ascii: "("), separator: UInt8(ascii: ";"), closing: UInt8(ascii: ")")
            ),
            template: template
        )
        var list = EventList(representation, capacity: 0)
        list.append(unpacking: template.pack(text.span).span)
        list.append(text.span)
        list.append(unpacking: template.pack(text.span).span)
        list.close()
        #expect(list.count == 3)
        #expect(
            String(decoding: list.bytes, as: UTF8.self)
                == "(<a>one<b>two</>;<a>one<b>two</>;<a>one<b>two</>)"
        )
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func text(_ values: [UInt8]) -> String {
        String(decoding: template.unpack(values.span), as: UTF8.self)
    }
}
