import Bytes
import Model

/// Events as lines of text for a terminal.
enum EventLines {
    /// The width of a distance with its unit, which fits half the globe in km.
    private static let distanceWidth = 12
    private static let compassWidth = 2
    /// The size of an event without its texts, in bytes.
    private static let bareEventBytes = 80

    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> ListBody {
        // The longest id has the most digits, and no id is negative.
        let idWidth = "#".utf8.count + String(rows.map(\.id).max() ?? 0).utf8.count
        let texts = rows.reduce(0) { $0 + $1.textCount }
        return ListBody(
            count: rows.count,
            capacity: rows.count * bareEventBytes + texts + ListBody.slackBytes,
            begin: { _ in },
            elements: { range, bytes in
                let rows = rows.span
                for index in range {
                    append(rows[index], presentation, idWidth: idWidth, to: &bytes)
                }
            },
            end: { bytes in
                if let next = presentation.nextLink {
                    bytes += "More: \(next)\n".utf8
                } else if rows.isEmpty {
                    bytes.append("No events found.\n")
                }
            }
        )
    }

    private static func append(
        _ row: EventRow,
        _ presentation: EventPresentation,
        idWidth: Int,
        to bytes: inout [UInt8]
    ) {
        if presentation.hasPoint {
            let start = bytes.count
            if let direction = row.direction {
                bytes.append(distance: direction, presentation.unit)
            }
            let missing = max(0, distanceWidth - (bytes.count - start))
            bytes.insert(contentsOf: repeatElement(UInt8(ascii: " "), count: missing), at: start)
            bytes.append("  ")
            let compassPoint = row.direction.flatMap(EventText.compassPoint) ?? ""
            bytes += compassPoint.utf8
            pad(compassPoint.utf8.count, to: compassWidth, &bytes)
        }
        bytes.append(localTime: row.attributes.startedAt, presentation)
        bytes.append("  #")
        let start = bytes.count
        bytes.append(decimal: row.id)
        pad(bytes.count - start + 1, to: idWidth, &bytes)
        bytes.append(visible: row.attributes.name)
        if let address = row.address {
            bytes.append(", ")
            bytes.append(visible: address)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends spaces after a cell of this width, and two more that separate it from the next one.
    private static func pad(_ width: Int, to fullWidth: Int, _ bytes: inout [UInt8]) {
        bytes += repeatElement(UInt8(ascii: " "), count: max(0, fullWidth - width) + 2)
    }
}

extension [UInt8] {
    /// Appends a text, with U+FFFD for characters that control a terminal, end the line or reverse
    /// text; O(n).
    fileprivate mutating func append(visible text: String) {
        let text = text.utf8Span.span
        append(
            replacingIn: text,
            growth: 3,
            passingAsWord: { word in
                let bidirectional = word.hasByte(0xD8) | word.hasByte(0xE2)
                return (word.mayHaveControl | bidirectional) == 0
            },
            passingAsByte: { !$0.mayBeginControl && $0 != 0xD8 && $0 != 0xE2 }
        ) { index, output in
            let count =
                switch text[index] {
                case UInt8.firstOfC1, 0xD8: 2
                case 0xE2: 3
                default: 1
                }
            let end = Swift.min(index + count, text.count)
            if text.isHarmful(at: index) {
                output.append("\u{FFFD}")
            } else {
                output.append(copying: text.extracting(index..<end))
            }
            return end
        }
    }
}

extension Span<UInt8> {
    /// Returns whether a control character or one of Unicode's Bidi_Control begins at an offset.
    fileprivate func isHarmful(at offset: Int) -> Bool {
        switch self[offset] {
        case 0..<0x20, 0x7F: true
        case UInt8.firstOfC1: isC1Control(at: offset)
        // U+061C.
        case 0xD8: byte(at: offset + 1) == 0x9C
        case 0xE2:
            switch (byte(at: offset + 1), byte(at: offset + 2)) {
            // U+200E, U+200F and U+202A to U+202E.
            case (0x80, 0x8E?), (0x80, 0x8F?), (0x80, (0xAA...0xAE)?): true
            // U+2066 to U+2069.
            case (0x81, (0xA6...0xA9)?): true
            default: false
            }
        default: false
        }
    }
}
