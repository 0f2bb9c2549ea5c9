import Bytes
import Events

/// Events as lines of text for a terminal.
enum EventLines {
    /// The width of a distance with its unit, which fits half the globe in km.
    private static let distanceWidth = 12
    private static let compassWidth = 2

    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> ListBody {
        // The longest id has the most digits, and no id is negative.
        let idWidth = "#".utf8.count + String(rows.map(\.id).max() ?? 0).utf8.count
        return ListBody(
            count: rows.count,
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
        let status = row.attributes.status
        if status != .scheduled { bytes += " [\(status.rawValue)]".utf8 }
        if row.attributes.isPrivate { bytes += " [private]".utf8 }
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
        append(text) { scalar in
            switch scalar {
            // Unicode's Bidi_Control.
            case "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                "\u{FFFD}"
            default: scalar.isControl ? "\u{FFFD}" : nil
            }
        }
    }
}
