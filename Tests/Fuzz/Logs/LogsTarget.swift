import Logging
import Time

private let file = ScratchFile()
private let textLogger = logger(.text)
private let jsonLogger = logger(.json)

private func logger(_ format: LogFormat) -> Logger {
    do {
        return try Logger(level: .debug, format: format, descriptor: file.descriptor)
    } catch {
        fatalError("\(error)")
    }
}

/// The log: each entry is one line, whatever is in it, and nothing in a line talks to a terminal.
///
/// The first byte chooses the format, the second the kind of line.
func fuzzLogs(_ input: inout FuzzInput) {
    let logger = input.choice(below: 2) == 0 ? textLogger : jsonLogger
    let isRequest = input.choice(below: 2) == 0
    let texts = input.texts()
    let text = { (index: Int) in index < texts.count ? texts[index] : "" }
    if isRequest {
        let record = RequestRecord(
            time: Timestamp(milliseconds: Int64(texts.count)),
            method: text(0),
            path: text(1),
            status: text(0).utf8.count,
            bytes: text(1).utf8.count,
            microseconds: Int64(text(2).utf8.count) - 8,
            requestID: text(2)
        )
        logger.log(record)
    } else {
        logger.log(.warning, text(0), ["first": text(1), "second": text(2)])
    }
    logger.flush()

    let line = file.take()
    expect(line.last == UInt8(ascii: "\n"), "the line does not end")
    expect(line.isUTF8, "the line is not UTF-8")
    let scalars = String(decoding: line.dropLast(), as: UTF8.self).unicodeScalars
    expect(
        scalars.allSatisfy { $0.properties.generalCategory != .control },
        "the line has control characters"
    )
}
