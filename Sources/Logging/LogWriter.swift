import Glibc

/// Writes log lines to a descriptor, and waits for its reader.
struct LogWriter {
    /// The size of one write, after which the queue has space for as many bytes.
    private static let bytesAtOnce = 64 * 1024
    private static let newline: [UInt8] = [UInt8(ascii: "\n")]

    private let descriptor: Int32
    /// Whether the latest line was written only in part.
    private var isTorn = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes the queue's lines until it is closed.
    mutating func run(_ queue: LogQueue) {
        var batch: [UInt8] = []
        while queue.take(&batch) { write(batch, of: queue) }
    }

    private mutating func write(_ batch: [UInt8], of queue: LogQueue) {
        if isTorn && write(Self.newline.span) < 1 { return queue.didFail(batch.span) }
        isTorn = false
        var written = 0
        while written < batch.count {
            let end = min(batch.count, written + Self.bytesAtOnce)
            let count = write(batch.span.extracting(written..<end))
            written += count
            guard written == end else {
                isTorn = written > 0 && batch[written - 1] != UInt8(ascii: "\n")
                return queue.didFail(batch.span.extracting(written...))
            }
            queue.didWrite(count, isLast: written == batch.count)
        }
    }

    /// Writes as much as possible, and returns the number of bytes.
    private func write(_ bytes: Span<UInt8>) -> Int {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.extracting(written...).withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count > 0 {
                written += count
            } else if count == 0 || (errno != EINTR && !(errno == EAGAIN && waitForRoom())) {
                break
            }
        }
        return written
    }

    /// Waits until a non-blocking descriptor is writable; returns false on an error.
    private func waitForRoom() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = unsafe poll(&entry, 1, -1)
        return count > 0 || errno == EINTR
    }
}
