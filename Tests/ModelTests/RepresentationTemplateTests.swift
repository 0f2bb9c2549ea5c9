import Bytes
import Testing

@testable import Model

/// A template omits what all events have in common, and gives every representation back.
@Suite struct RepresentationTemplateTests {
    private let template = RepresentationTemplate(opening: "<a>", infix: "<b>", closing: "</>")

    @Test func omitsItsTexts() {
        let packed = template.pack(bytes("<a>one<b>7</>").span)
        #expect(packed == [1] + bytes("7one"))
        #expect(text(packed) == "<a>one<b>7</>")
    }

    @Test(arguments: [0, 1, 15, 16, 17, 5_000], [0, 1, 19, 20])
    func keepsBodiesAndTails(body: Int, tail: Int) {
        let body = String("0123456789abcdefghi".prefix(body)) + String(repeating: "é", count: body)
        let tail = String("ABCDEFGHIJKLMNOPQRST".prefix(tail))
        let whole = "<a>\(body)<b>\(tail)</>"
        let packed = template.pack(bytes(whole).span)
        #expect(packed == [UInt8(tail.utf8.count)] + bytes(tail + body))
        #expect(text(packed) == whole)
        #expect(template.unpackedCount(of: packed.span) == whole.utf8.count)
    }

    @Test(arguments: [
        "", "<", "<a>", "<a></>", "<a>one</>", "<a>one<b>7<", "a>one<b>7</>", "<a><b>7", "<a>b></>",
        "<a>one<b>ABCDEFGHIJKLMNOPQRSTU</>", "\u{1}",
    ])
    func keepsOtherRepresentationsWhole(whole: String) {
        let packed = template.pack(bytes(whole).span)
        #expect(packed == [255] + bytes(whole))
        #expect(text(packed) == whole)
        #expect(template.unpackedCount(of: packed.span) == whole.utf8.count)
    }

    @Test(arguments: [
        "<a><b></>", "<a><a><b><b></>", "<a></><b></></>", "<a><b>1<b>2</>", "<a>\u{FF}<b>\u{0}</>",
    ])
    func keepsBodiesAndTailsLikeItsTexts(whole: String) {
        let packed = template.pack(bytes(whole).span)
        #expect(packed.count == whole.utf8.count - 8)
        #expect(text(packed) == whole)
    }

    @Test(arguments: ["", "x", "0123456789abcdefghi"]) func mayBeEmpty(whole: String) {
        let template = RepresentationTemplate(opening: "", infix: "", closing: "")
        let packed = template.pack(bytes(whole).span)
        #expect(packed == [0] + bytes(whole))
        #expect(template.unpack(packed.span) == bytes(whole))
    }

    @Test func unpacksNothingFromNothing() {
        #expect(template.unpack([UInt8]().span) == [])
        #expect(template.unpackedCount(of: [UInt8]().span) == 0)
    }

    @Test func listsPackedEventsLikeOthers() {
        let text = bytes("<a>one<b>7</>")
        let representation = EventRepresentation(
            event: { _ in text },
            list: (opening: 40, separator: 59, closing: 41),
            template: template
        )
        var list = EventList(representation, capacity: 0)
        list.append(unpacking: template.pack(text.span).span, template)
        list.append(text.span)
        list.append(unpacking: template.pack(text.span).span, template)
        list.close()
        #expect(list.count == 3)
        #expect(list.bytes == bytes("(<a>one<b>7</>;<a>one<b>7</>;<a>one<b>7</>)"))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func text(_ packed: [UInt8]) -> String {
        String(decoding: template.unpack(packed.span), as: UTF8.self)
    }
}
