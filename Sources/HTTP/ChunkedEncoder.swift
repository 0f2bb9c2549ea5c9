import Bytes

/// An encoder of a body of unknown length as chunks (RFC 9112 section 7.1).
package enum ChunkedEncoder {
    /// Appends a chunk of these bytes; nothing if there are none, because a chunk of no bytes would
    /// end the body.
    package static func append(chunk bytes: Span<UInt8>, to output: inout [UInt8]) {
        guard bytes.count > 0 else { return }
        append(hexadecimal: bytes.count, to: &output)
        output.append("\r\n")
        output.append(copying: bytes)
        output.append("\r\n")
    }

    /// Appends the last chunk, without trailer fields.
    package static func appendEnd(to output: inout [UInt8]) {
        output.append("0\r\n\r\n")
    }

    private static func append(hexadecimal count: Int, to output: inout [UInt8]) {
        let digits = (Int.bitWidth - count.leadingZeroBitCount + 3) / 4
        for place in (0..<digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: count >> (4 * place)) & 0xF
            output.append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
        }
    }
}
