#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that is written from its start; without a path standard output.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    /// Creates the file, or empties the one that is there.
    init(path: String?) throws(FileError) {
        ownsDescriptor = path != nil
        descriptor =
            if let path {
                unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            } else {
                STDOUT_FILENO
            }
        guard descriptor >= 0 else { throw .last() }
    }

    deinit {
        if ownsDescriptor { _ = close(descriptor) }
    }

    func write(_ bytes: [UInt8]) throws(FileError) {
        try Self.write(bytes, to: descriptor)
    }

    /// Writes all bytes, in as many pieces as the system takes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // The slice lies within the array, which outlives the call.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                throw .last()
            }
        }
    }

    private static func systemWrite(
        _ descriptor: Int32,
        _ start: UnsafeRawPointer?,
        _ count: Int
    ) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(descriptor, start, count)
        #else
        unsafe Darwin.write(descriptor, start, count)
        #endif
    }
}
