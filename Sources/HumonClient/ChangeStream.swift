import Foundation

/// Something that comes on a stream of changes.
public enum StreamEvent: Hashable, Sendable {
    /// A change, and the cursor to store in the same transaction.
    case change(Change, Cursor?)
    /// All records follow: collect them in a new copy.
    case reset
    /// Everything up to now has come: replace the old copy if there was a reset.
    case ready(Cursor?)
    /// Nothing has happened up to this cursor.
    case position(Cursor)
}

/// Changes as they happen, over connections that are made again after each interruption.
public struct ChangeStream: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let transport: Transport
    private let filter: ChangeFilter
    private var cursor: Cursor?
    private var connection: Connection?
    private var parser = ServerSentEvents()
    private var blocks: ArraySlice<ServerSentEvents.Block> = []
    private var failures = 0
    private var isFinished = false

    init(_ transport: Transport, _ filter: ChangeFilter, since cursor: Cursor?) {
        (self.transport, self.filter, self.cursor) = (transport, filter, cursor)
    }

    // Each iterator has a connection of its own.
    public func makeAsyncIterator() -> ChangeStream { .init(transport, filter, since: cursor) }

    public mutating func next() async throws(HumonError) -> StreamEvent? {
        while !isFinished {
            if Task.isCancelled { throw .cancelled }
            if let block = blocks.popFirst() {
                if let event = try event(of: block) { return event }
            } else if let connection {
                if let part = await connection.next() {
                    blocks = try parser.add(part)[...]
                } else {
                    self.connection = nil
                    let retry = Duration.milliseconds(parser.retry ?? 3_000)
                    try await transport.pause(retry * Double.random(in: 0.5...1.5))
                }
            } else {
                try await connect()
            }
        }
        return nil
    }

    private mutating func connect() async throws(HumonError) {
        do {
            let call = filter.call("changes/stream", since: cursor)
            connection = try await transport.open(call)
            parser = ServerSentEvents()
            failures = 0
        } catch {
            guard error.isTemporary else { throw error }
            try await transport.pause(error.pause(after: failures))
            failures += 1
        }
    }

    private mutating func event(
        of block: ServerSentEvents.Block
    ) throws(HumonError) -> StreamEvent? {
        if let id = block.id { cursor = Cursor(rawValue: id) }
        switch block.event {
        case "change":
            return .change(try Reply(body: Data(block.data.utf8)).decode(), cursor)
        case "reset": return .reset
        case "ready": return .ready(cursor)
        case "end":
            isFinished = true
            connection = nil
            return nil
        case "" where block.id != nil: return cursor.map { .position($0) }
        default: return nil
        }
    }
}

/// The parser of server-sent events (HTML Standard, section 9.2.6).
struct ServerSentEvents {
    struct Block: Hashable, Sendable {
        var event = ""
        var data = ""
        var id: String?
    }

    /// The maximum size of a line, in bytes.
    static let mostBytes = 1024 * 1024

    /// The pause before the next connection that the server has named, in ms.
    private(set) var retry: Int?
    private var line: [UInt8] = []
    private var block = Block()
    private var isAfterReturn = false

    /// Adds bytes, and returns the blocks that end in them; throws if a line is too long.
    mutating func add(_ bytes: some Sequence<UInt8>) throws(HumonError) -> [Block] {
        var blocks: [Block] = []
        for byte in bytes {
            defer { isAfterReturn = byte == 13 }
            switch byte {
            case 10 where isAfterReturn: break
            case 10, 13:
                if line.isEmpty {
                    if block != Block() { blocks.append(block) }
                    block = Block()
                } else {
                    addField()
                    line.removeAll(keepingCapacity: true)
                }
            default:
                guard line.count < Self.mostBytes else { throw .notOfServer(nil) }
                line.append(byte)
            }
        }
        return blocks
    }

    private mutating func addField() {
        let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false)
        let bytes = parts.count > 1 ? parts[1] : []
        let value = String(decoding: bytes.first == 32 ? bytes.dropFirst() : bytes, as: UTF8.self)
        switch String(decoding: parts[0], as: UTF8.self) {
        case "event": block.event = value
        case "data": block.data += block.data.isEmpty ? value : "\n" + value
        case "id": block.id = value
        case "retry": retry = Int(value).map { min(max($0, 0), 3_600_000) } ?? retry
        default: break
        }
    }
}
