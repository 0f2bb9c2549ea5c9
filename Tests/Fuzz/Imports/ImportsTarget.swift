import Formats
import JSON
import Model

private let file = ScratchFile()
private let copy = ScratchFile()

/// Import: each record is read or reported however the file is cut into chunks, and what was read
/// is written and read back the same.
///
/// The first byte chooses the format, the second the size of the chunks, and the third the format
/// in which the records are written.
func fuzzImports(_ input: inout FuzzInput) {
    let format = RecordFormat.allCases[input.choice(below: RecordFormat.allCases.count)]
    let size = input.choice(below: 64) + 1
    let copyFormat = RecordFormat.allCases[input.choice(below: RecordFormat.allCases.count)]
    let bytes = input.rest()

    file.replace(with: bytes)
    let whole = Outcome(file, format, chunkBytes: bytes.count + 1)
    let pieces = Outcome(file, format, chunkBytes: size)
    expect(pieces == whole, "chunks of \(size) bytes are read otherwise: \(pieces), \(whole)")
    expect(
        zip(whole.records, whole.records.dropFirst()).allSatisfy { $0.number < $1.number },
        "the numbers of the records don't rise"
    )
    // Files in UTF-16 and UTF-32 are rejected by name, and any bytes can look like one.
    let looksLikeOther = whole.error?.contains("must be UTF-8") == true
    if let count = recordCount(in: bytes, format), !looksLikeOther {
        expect(whole.error == nil, "\(whole.error ?? "") in a file of \(count) records")
        expect(whole.records.count == count, "\(whole.records.count) of \(count) records")
    }
    checkWriting(whole.records.compactMap { try? $0.result.get() }, copyFormat)
}

/// What came of reading a file.
private struct Outcome: Equatable {
    var records: [NumberedRecord<EventRecord>] = []
    var error: String?

    init(_ file: ScratchFile, _ format: RecordFormat, chunkBytes: Int) {
        do {
            var reader = try RecordReader<EventRecord>(
                path: file.path,
                format: format,
                chunkBytes: chunkBytes
            )
            while let record = try reader.next() { records.append(record) }
        } catch {
            self.error = "\(error)"
        }
    }
}

private func checkWriting(_ records: [EventRecord], _ format: RecordFormat) {
    let bytes = written(records, format)
    copy.replace(with: bytes)
    let outcome = Outcome(copy, format, chunkBytes: bytes.count + 1)
    let again = outcome.records.compactMap { try? $0.result.get() }
    expect(outcome.error == nil, "what is written is refused: \(outcome.error ?? "")")
    expect(again == records, "\(records) was written and read as \(outcome.records)")
    expect(written(again, format) == bytes, "it is written otherwise the second time")
}

private func written(_ records: [EventRecord], _ format: RecordFormat) -> [UInt8] {
    var writer = EventRecordWriter(format: format)
    var bytes = writer.head
    for record in records { writer.append(record, to: &bytes) }
    return bytes + writer.tail
}

/// How many records a file has, where that can be told in another way than the decoder's; nil
/// where it can't, or where the file may be refused.
private func recordCount(in bytes: [UInt8], _ format: RecordFormat) -> Int? {
    switch format {
    case .ndjson:
        bytes.split(separator: UInt8(ascii: "\n")).count { line in line.contains { $0 > 0x20 } }
    case .csv: rowCount(in: bytes)
    case .geojson: featureCount(in: bytes)
    }
}

/// The rows of a file without quotes whose header is in order, without those of blank cells.
private func rowCount(in bytes: [UInt8]) -> Int? {
    let header = Array("id,owner,name,address,lat,lon,started_at,ended_at\n".utf8)
    guard bytes.starts(with: header), !bytes.contains(UInt8(ascii: "\"")) else { return nil }
    return bytes.dropFirst(header.count).split(separator: UInt8(ascii: "\n"))
        .count { row in
            String(decoding: row, as: UTF8.self).unicodeScalars.contains { scalar in
                scalar != "," && !scalar.properties.isWhitespace
            }
        }
}

/// The features of a collection that is well-formed and has no escapes, by which a name could be
/// spelled in another way.
private func featureCount(in bytes: [UInt8]) -> Int? {
    guard !bytes.contains(UInt8(ascii: "\\")),
        case .object(let object)? = try? JSONParser.parse(bytes.span, maximumDepth: 64),
        object.members.allSatisfy({ $0.key != "type" || $0.value.isCollectionType })
    else { return nil }
    let counts = object.members.filter { $0.key == "features" }.compactMap(\.value.elementCount)
    return counts.isEmpty ? nil : counts.reduce(0, +)
}

extension JSONValue {
    fileprivate var isCollectionType: Bool { self == .string("FeatureCollection") }

    fileprivate var elementCount: Int? {
        if case .array(let elements) = self { elements.count } else { nil }
    }
}
