/// Rows of cells under one another, as a terminal shows them.
package enum TextTable {
    /// A line for each row, its columns two spaces apart and as wide as their widest cell; the last
    /// column is not padded.
    package static func text(_ rows: [[String]]) -> String {
        var widths: [Int] = []
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
