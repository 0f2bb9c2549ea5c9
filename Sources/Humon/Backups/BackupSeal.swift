import Model
import SQLite
import Sodium

/// The line behind the pages of a backup that shows whether the file is still what was written.
///
/// SQLite ignores what follows a database's last page, so that the file stays one file that every
/// program for SQLite can read. The digest covers all bytes before itself: `head -c -65 FILE |
/// sha256sum` prints what `tail -c 65 FILE` says.
struct BackupSeal: Equatable {
    /// When the backup was begun, by the clock of then.
    let began: Timestamp
    /// The place in the order of the scheduled backups of a folder; 0 for any other backup.
    let number: Int
    /// SHA-256 of the pages and `head`.
    let digest: [UInt8]

    /// The greatest number that there is room for.
    private static let maximumNumber = 9_999_999_999
    private static let numberDigits = 10
    private static let digestBytes = 32

    /// The size of every seal.
    ///
    /// A backup that has lost all of it has lost nothing else, and counts as an older one.
    static let byteCount =
        head(began: .earliest, number: 0).utf8.count + digestBytes * 2 + 1

    init(began: Timestamp, number: Int, digest: [UInt8]) {
        self.began = began
        self.number = min(max(0, number), Self.maximumNumber)
        self.digest = digest
    }

    /// Reads a seal; nil if the bytes are not one, to the last bit.
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

    /// What precedes the digest.
    var head: [UInt8] { Array(Self.head(began: began, number: number).utf8) }

    /// The whole line.
    var bytes: [UInt8] { head + Array(Hexadecimal.text(of: digest).utf8) + [UInt8(ascii: "\n")] }

    private static func head(began: Timestamp, number: Int) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, numberDigits - digits.utf8.count))
        return "\nhumon backup began=\(began.text) number=\(zeros)\(digits) sha256="
    }

    /// Adds a seal to a file of whole pages.
    ///
    /// O(size of the file). Nothing is synced.
    ///
    /// - Throws: `FileError` and `CancellationError`.
    static func append(
        to draft: Draft,
        began: Timestamp,
        number: Int,
        cancellation: Cancellation
    ) throws {
        var file = try InputFile(path: draft.path, chunkBytes: BackupReader.chunkBytes)
        var hash = SHA256.Stream()
        var chunk: [UInt8] = []
        while try file.read(into: &chunk) {
            try cancellation.check()
            hash.update(chunk)
            chunk.removeAll(keepingCapacity: true)
        }
        hash.update(BackupSeal(began: began, number: number, digest: []).head)
        let seal = BackupSeal(began: began, number: number, digest: hash.digest())
        try draft.append(seal.bytes)
    }
}

/// Bytes as two lower-case digits each.
private enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { byte in
                [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            },
            as: UTF8.self
        )
    }

    /// Nil for anything but pairs of digits.
    static func bytes(of text: Substring) -> [UInt8]? {
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { index in
            UInt8(values[index] << 4 | values[index + 1])
        }
    }
}
