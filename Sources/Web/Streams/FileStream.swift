import HTTP
import System

/// The content of a file as the body of a response.
final class FileStream: BodyStream {
    private let file: Mutex<InputFile?>

    /// Opens the file; throws `FileError`.
    init(path: String) throws(FileError) {
        file = Mutex(
            try InputFile(path: path, chunkBytes: BodyProgress.pieceBytes, mustBeRegular: true)
        )
    }

    func open(wake: @escaping @Sendable () -> Void) {}

    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress {
        if isStopping { return .failed }
        var piece: [UInt8] = []
        let hasMore = file.withLock { file in (try? file?.read(into: &piece)) ?? nil }
        output += piece
        guard let hasMore else { return .failed }
        return hasMore ? .more : .end
    }

    func close() {
        file.withLock { $0 = nil }
    }
}
