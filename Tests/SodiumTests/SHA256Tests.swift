import Sodium
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4, and the examples of NIST for it.
    @Test(
        arguments: [
            ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (["a", "b", "c"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                ["abcdbcdecdefdefgefghfghighijhijk", "", "ijkljklmklmnlmnomnopnopq"],
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func `is the same of bytes that arrive in pieces`(pieces: [String], digest: String) {
        var stream = SHA256.Stream()
        for piece in pieces { stream.update(Array(piece.utf8)) }

        let hexadecimal = stream.digest().map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }.joined()
        #expect(hexadecimal == digest)
        // To look at it does not end it.
        #expect(stream.digest() == SHA256.digest(of: pieces.joined()))
    }
}
