/// Formats rows of cells as a table for terminals.
package enum TextTable {
    /// Returns a text of a user without characters that could control the terminal, cut at a limit.
    static func printable(_ text: String, limit: Int = .max) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
            default: scalar
            }
        }
        let shown = String(String.UnicodeScalarView(scalars.prefix(limit)))
        return scalars.count > limit ? shown + "…" : shown
    }

    /// Returns a line for each row, with columns two spaces apart.
    ///
    /// Each column is as wide as its widest cell, but at least as wide as `minimumWidths` says for
    /// the first columns. The last column is not padded.
    package static func text(_ rows: [[String]], minimumWidths: [Int] = []) -> String {
        var widths = minimumWidths
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                column == row.count - 1
                    ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
