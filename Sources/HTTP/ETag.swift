/// Entity tags (RFC 9110 section 8.8.3).
package enum ETag {
    /// Returns the entity tag of a body: 11 characters of base64url (RFC 4648 section 5) in quotes.
    ///
    /// Equal bytes have equal tags, in every run of the server. The tag distinguishes versions of a
    /// resource, but not bodies that were made to collide.
    package static func make(for body: Span<UInt8>) -> String {
        let hash = hash(body)
        var tag = InlineArray<13, UInt8>(repeating: quote)
        for position in 0..<11 {
            let bits = UInt32(truncatingIfNeeded: (hash << UInt64(6 * position)) >> 58)
            tag[position + 1] = Base64.character(of: bits, .url)
        }
        return String(repairing: tag.span)
    }

    /// Returns whether an `If-None-Match` field contains this tag by weak comparison, or is `*`
    /// (RFC 9110 section 13.1.2).
    ///
    /// If the tag is nil, only `*` matches. After a malformed element, the rest of the list is
    /// ignored.
    package static func matches(ifNoneMatch field: String, etag: String?) -> Bool {
        matches(field, etag, isStrong: false)
    }

    /// Returns whether an `If-Match` field contains this tag by strong comparison, or is `*` (RFC
    /// 9110 section 13.1.1).
    ///
    /// If the tag is nil, only `*` matches. Weak tags never match. After a malformed element, the
    /// rest of the list is ignored.
    package static func matches(ifMatch field: String, etag: String?) -> Bool {
        matches(field, etag, isStrong: true)
    }

    private static func matches(_ field: String, _ etag: String?, isStrong: Bool) -> Bool {
        if field == "*" { return true }
        guard let etag else { return false }
        if !isStrong, field == etag { return true }
        let list = field.utf8.span
        let tag = etag.utf8.span
        guard let wanted = opaqueTag(in: tag, at: 0),
            !isStrong || wanted.lowerBound == 0
        else { return false }
        var position = 0
        while let start = startOfElement(in: list, from: position) {
            guard let found = opaqueTag(in: list, at: start) else { return false }
            let isComparable = !isStrong || found.lowerBound == start
            if isComparable, list.extracting(found).equals(tag.extracting(wanted)) { return true }
            position = found.upperBound
        }
        return false
    }

    private static let quote = UInt8(ascii: "\"")

    private static func startOfElement(in list: Span<UInt8>, from position: Int) -> Int? {
        var index = position
        while index < list.count, list[index].isBlank || list[index] == UInt8(ascii: ",") {
            index += 1
        }
        return index < list.count ? index : nil
    }

    /// Returns the range of the quoted part of the tag at `start`, including the quotes.
    private static func opaqueTag(in bytes: Span<UInt8>, at start: Int) -> Range<Int>? {
        var opening = start
        if start + 1 < bytes.count, bytes[start] == UInt8(ascii: "W"),
            bytes[start + 1] == UInt8(ascii: "/")
        {
            opening += 2
        }
        guard opening < bytes.count, bytes[opening] == quote else { return nil }
        let closing = bytes.offset(of: quote, from: opening + 1)
        return closing < bytes.count ? opening..<closing + 1 : nil
    }

    /// Returns a hash of 64 bits.
    ///
    /// Each step is a permutation of a state, so two bodies of equal length that differ in one word
    /// never collide. Each of the four states handles every fourth word, so that they don't wait
    /// for each other.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var state = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var second = state ^ 0xA076_1D64_78BD_642F
        var third = state ^ 0xE703_7ED1_A0B4_28DB
        var fourth = state ^ 0x8EBC_6AF0_9C88_C6E3
        var offset = 0
        while offset + 32 <= bytes.count {
            mix(bytes.word(at: offset), into: &state)
            mix(bytes.word(at: offset + 8), into: &second)
            mix(bytes.word(at: offset + 16), into: &third)
            mix(bytes.word(at: offset + 24), into: &fourth)
            offset += 32
        }
        // Otherwise the first two states would be interchangeable.
        mix(0, into: &state)
        mix(second, into: &state)
        mix(third, into: &state)
        mix(fourth, into: &state)
        while offset + 8 <= bytes.count {
            mix(bytes.word(at: offset), into: &state)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        mix(rest, into: &state)
        mix(0, into: &state)
        return state
    }

    private static func mix(_ word: UInt64, into state: inout UInt64) {
        state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
        state ^= state >> 32
    }
}

extension Span<UInt8> {
    /// Returns the eight bytes from an offset on as a little-endian integer.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a valid integer, and the call checks the offset.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return UInt64(littleEndian: word)
    }
}
