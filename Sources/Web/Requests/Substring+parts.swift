import HTTP

extension Substring {
    /// The maximum number of parts to read.
    private static let maximumParts = 64

    /// Returns the trimmed parts between separators outside of quoted strings (RFC 9110 section
    /// 5.6.4); O(n).
    func parts(separatedBy separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        var start = startIndex
        var isQuoted = false
        var isEscaped = false
        for index in utf8.indices {
            let byte = utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                parts.append(self[start..<index].trimmed)
                if parts.count == Self.maximumParts { return parts }
                start = utf8.index(after: index)
            }
        }
        parts.append(self[start...].trimmed)
        return parts
    }
}
