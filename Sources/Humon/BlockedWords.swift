import Settings
import System
import Words

/// Reads the file of BLOCKED_WORDS_FILE.
enum BlockedWords {
    /// The setting that names the file.
    static let setting = "BLOCKED_WORDS_FILE"

    /// Reads the list at a path, or returns an empty one without a path.
    ///
    /// - Throws: `SettingError`, which names the file and the line.
    static func list(at path: String?) throws(SettingError) -> WordList {
        guard let path else { return WordList() }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.bytes(at: path, maximum: WordList.maximumBytes)
        } catch {
            throw .unreadableNamedFile(name: setting, path: path, reason: error.reason)
        }
        do throws(WordList.Failure) {
            return try WordList(utf8: bytes)
        } catch {
            throw .malformedLine(path: path, line: error.line, reason: error.reason)
        }
    }
}
