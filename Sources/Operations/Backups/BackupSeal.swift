import Model
import Sodium
import System
package import Time

/// The line after a backup's pages, which shows whether the file is still what was written.
///
/// SQLite ignores anything after a database's last page, so any SQLite program can read the file.
/// The digest covers all bytes before it: `head -c -65 FILE | sha256sum` prints the same digest as
/// `tail -c 65 FILE`.
package struct BackupSeal: Equatable {
    /// When the backup started, by the clock of that time.
    package let began: Timestamp
    /// The position in the series of scheduled backups, or 0 for other backups.
    let number: Int
    /// SHA-256 of the pages and `head`.
    let digest: [UInt8]

    /// The greatest number that fits.
    private static let maximumNumber = 9_999_999_999
    private static let numberDigits = 10
    private static let digestBytes = 32

    /// The size of every seal, in bytes.
    ///
    /// A backup without its whole seal is still complete, and counts as one of an earlier version.
    static let byteCount =
        head(began: .earliest, number: 0).utf8.count + digestBytes * 2 + 1

    init(began: Timestamp, number: Int, digest: [UInt8]) {
        self.began = began
        self.number = min(max(0, number), Self.maximumNumber)
        self.digest = digest
    }

    /// Parses a seal; nil unless the bytes are exactly what `bytes` would return.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let fields = text.dropFirst().dropLast().split(separator: " ")
        guard fields.count == 5,
            let began = Timestamp(parsing: String(fields[2].dropFirst("began=".count))),
            let number = Int(fields[3].dropFirst("number=".count)),
            let digest = Hexadecimal.bytes(of: fields[4].dropFirst("sha256=".count))
        else { return nil }
        self.init(began: began, number: number, digest: digest)
        guard self.bytes == bytes else { return nil }
    }

    /// The text before the digest.
    var head: [UInt8] { Array(Self.head(began: began, number: number).utf8) }

    /// The whole line.
    var bytes: [UInt8] { head + Array(Hexadecimal.text(of: digest).utf8) + [UInt8(ascii: "\n")] }

    private static func head(began: Timestamp, number: Int) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, numberDigits - digits.utf8.count))
        return "\nhumon backup began=\(began.text) number=\(zeros)\(digits) sha256="
    }

    /// Appends a seal to a file of whole pages; O(size of the file).
    ///
    /// It does not sync the file.
    ///
    /// - Throws: `FileError` and `CancellationError`.
    static func append(
        to draft: FileDraft,
        began: Timestamp,
        number: Int,
        _ copier: any StorageCopier
    ) throws {
        var file = try InputFile(path: draft.path, chunkBytes: BackupReader.chunkBytes)
        var hash = SHA256.Stream()
        var chunk: [UInt8] = []
        while try file.read(into: &chunk) {
            try copier.checkCancellation()
            hash.update(chunk)
            chunk.removeAll(keepingCapacity: true)
        }
        hash.update(BackupSeal(began: began, number: number, digest: []).head)
        let seal = BackupSeal(began: began, number: number, digest: hash.digest())
        try draft.append(seal.bytes)
    }
}

/// Converts bytes to and from two lower-case digits each.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { byte in
                [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            },
            as: UTF8.self
        )
    }

    /// Returns nil for anything but pairs of digits.
    static func bytes(of text: Substring) -> [UInt8]? {
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { index in
            UInt8(values[index] << 4 | values[index + 1])
        }
    }
}
