/// A writer of rows of comma-separated values (RFC 4180).
package enum CSVWriter {
    /// Appends a row; O(n).
    ///
    /// A nil cell is written as nothing, and an empty text as `""`, so that readers can tell them
    /// apart.
    package static func append(row cells: [String?], to bytes: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let cell { append(cell: cell, to: &bytes) }
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func append(cell: String, to bytes: inout [UInt8]) {
        let needsQuotes = cell.utf8.contains {
            $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";")
                || $0 < UInt8(ascii: " ")
        }
        guard needsQuotes || cell.isEmpty else {
            bytes.append(contentsOf: cell.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in cell.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
