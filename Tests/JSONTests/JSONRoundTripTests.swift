import JSON
import Randomness
import Testing

/// What the writer writes, the parser reads as the same.
struct JSONRoundTripTests {
    #if DEBUG
    private let sampleCount = 30_000
    #else
    private let sampleCount = 1_000_000
    #endif

    @Test func `keeps every bit of a finite double`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<sampleCount {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            var writer = JSONWriter()
            writer.value(double)

            guard case .number(let number) = try parse(writer.bytes) else {
                Issue.record("\(double) is written as a number")
                return
            }
            #expect(number.contains("."))
            #expect(Double(number)?.bitPattern == double.bitPattern)
        }
    }

    @Test func `keeps integers`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<(sampleCount / 10) {
            let integer =
                Int64.random(in: .min ... .max, using: &generator)
                >> Int64.random(in: 0..<64, using: &generator)
            var writer = JSONWriter()
            writer.value(integer)

            guard case .number(let number) = try parse(writer.bytes) else {
                Issue.record("\(integer) is written as a number")
                return
            }
            #expect(Int64(number) == integer)
        }
    }

    @Test func `keeps documents of every shape`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<(sampleCount / 100) {
            let text = randomDocument(depth: 0, using: &generator)

            let value = try parse(text)

            #expect(try parse(value.written) == value)
            // White space apart, the documents are written in the writer's own form.
            #expect(value.written.utf8.elementsEqual(text.utf8.filter { $0 != 0x20 && $0 != 0x0A }))
        }
    }

    @Test func `keeps characters of every plane`() throws {
        for value in stride(from: 0, through: UInt32(0x10FFFF), by: 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var writer = JSONWriter()
            writer.value(String(scalar))

            guard case .string(let read) = try parse(writer.bytes) else {
                Issue.record("\(value) is written as a string")
                return
            }
            #expect(Array(read.unicodeScalars) == [scalar])
        }
    }

    private func randomDocument(
        depth: Int,
        using generator: inout SeededGenerator
    ) -> String {
        let space = [" ", "", "", "\n"].randomElement(using: &generator) ?? ""
        let count = Int.random(in: 0..<4, using: &generator)
        switch Int.random(in: 0..<(depth < 6 ? 8 : 5), using: &generator) {
        case 0: return space + "null"
        case 1: return space + (Bool.random(using: &generator) ? "true" : "false")
        case 2: return "\(Int.random(in: -1000...1000, using: &generator))" + space
        case 3: return "\(Double.random(in: -180...180, using: &generator))" + space
        case 4: return randomString(using: &generator) + space
        case 5, 6:
            let elements = (0..<count).map { _ in
                randomDocument(depth: depth + 1, using: &generator)
            }
            return "[" + space + elements.joined(separator: space + "," + space) + "]"
        default:
            let members = (0..<count).map { _ in
                randomString(using: &generator) + space + ":"
                    + randomDocument(depth: depth + 1, using: &generator)
            }
            return "{" + members.joined(separator: ",") + space + "}"
        }
    }

    private func randomString(using generator: inout SeededGenerator) -> String {
        let pieces = [
            "a", "Z", "é", "😀", "\\n", "\\\"", "\\\\", "/", "\\u0000", "{", "]", ":", ",",
        ]
        let count = Int.random(in: 0..<12, using: &generator)
        let contents = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
        return "\"" + contents.joined() + "\""
    }
}
