/// The parts of DER (X.690) that keys and signatures consist of.
enum DER {
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    private static let ecOnP256: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]

    /// Returns the SubjectPublicKeyInfo (RFC 5280) of an RSA key.
    static func rsaKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = sequence(integer(modulus) + integer(exponent))
        return sequence(sequence(rsaEncryption) + element(0x03, [0] + key))
    }

    /// Returns the SubjectPublicKeyInfo (RFC 5480) of a point on the curve P-256.
    static func p256Key(x: [UInt8], y: [UInt8]) -> [UInt8] {
        sequence(sequence(ecOnP256) + element(0x03, [0, 0x04] + x + y))
    }

    /// Returns the ECDSA-Sig-Value (RFC 3279) of a signature as JWS has it: r and s, 32 bytes each.
    static func signature(_ bytes: [UInt8]) -> [UInt8] {
        sequence(integer(Array(bytes.prefix(32))) + integer(Array(bytes.dropFirst(32))))
    }

    private static func sequence(_ contents: [UInt8]) -> [UInt8] { element(0x30, contents) }

    /// Returns an unsigned integer of big-endian bytes, without zeros at its start.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isPositive = (digits.first ?? 0x80) < 0x80
        return element(0x02, isPositive ? digits : [0] + digits)
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        let low = UInt8(truncatingIfNeeded: count)
        if count < 0x80 { return [tag, low] + contents }
        // Nothing here has more than 65,535 bytes.
        return [tag, 0x82, UInt8(truncatingIfNeeded: count >> 8), low] + contents
    }
}
