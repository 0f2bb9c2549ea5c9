import Model

/// Events as lines of text for a terminal.
enum EventLines {
    /// The width of a distance with its unit, which fits half the globe in km.
    private static let distanceWidth = 12
    private static let compassWidth = 2

    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> [UInt8] {
        let idWidth = rows.map { number(of: $0).utf8.count }.max() ?? 0
        var text = ""
        for row in rows { append(row, presentation, idWidth: idWidth, to: &text) }
        if let next = presentation.nextLink {
            text += "More: " + next + "\n"
        } else if rows.isEmpty {
            text += "No events found.\n"
        }
        return Array(text.utf8)
    }

    private static func append(
        _ row: EventRow,
        _ presentation: EventPresentation,
        idWidth: Int,
        to text: inout String
    ) {
        if presentation.hasPoint {
            let distance = row.direction.map { EventText.distance($0, presentation.unit) } ?? ""
            let compassPoint = row.direction.flatMap(EventText.compassPoint) ?? ""
            text += spaces(distanceWidth, without: distance) + distance + "  "
            text += compassPoint + spaces(compassWidth, without: compassPoint) + "  "
        }
        text += EventText.time(row.attributes.startedAt, presentation) + "  "
        let number = number(of: row)
        text += number + spaces(idWidth, without: number) + "  "
        append(visible: row.attributes.name, to: &text)
        if let address = row.address {
            text += ", "
            append(visible: address, to: &text)
        }
        text += "\n"
    }

    private static func number(of row: EventRow) -> String { "#" + String(row.id) }

    private static func spaces(_ width: Int, without text: String) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    /// Appends a text, with U+FFFD for characters that control a terminal, end the line or reverse
    /// text.
    private static func append(visible: String, to text: inout String) {
        for scalar in visible.unicodeScalars {
            text.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isControl && !scalar.isBidirectionalControl
    }
}
