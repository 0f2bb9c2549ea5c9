import Model
import Web

/// The property list of shared tasks: well-formed whatever the names, which come back unchanged but
/// for what XML has no room for.
func fuzzPropertyLists(_ input: inout FuzzInput) {
    let id = input.integer()
    let tasks = input.texts().map { SharedTask(taskID: id, name: $0) }
    let body = PropertyListView.body(of: tasks).bytes

    expect(body.isUTF8, "the list is not UTF-8")
    // Nothing but the list itself and names without markup has been written.
    var reader = ListReader(rest: body[...])
    reader.skip(start)
    let rowStart = Array(
        "<dict><key>taskID</key><string>\(id)</string><key>name</key><string>".utf8
    )
    for task in tasks {
        reader.skip(rowStart)
        expect(reader.name() == namePart(of: task.name), "the name \(task.name)")
        reader.skip(rowEnd)
    }
    reader.skip(end)
    expect(reader.rest.isEmpty, "there is more behind the list")
}

private let start = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <array>

    """.utf8
)
private let rowEnd = Array("</string></dict>\n".utf8)
private let end = Array("</array>\n</plist>\n".utf8)

/// What XML 1.0 calls characters (<https://www.w3.org/TR/xml/#charsets>), in UTF-8.
private func namePart(of text: String) -> [UInt8] {
    var name: [UInt8] = []
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: name += Array(UTF8.encode(scalar) ?? .init())
        default: break
        }
    }
    return name
}

private struct ListReader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ bytes: [UInt8]) {
        expect(rest.starts(with: bytes), "no \(String(decoding: bytes, as: UTF8.self))")
        rest = rest.dropFirst(bytes.count)
    }

    /// The text up to the next tag, without its escapes.
    mutating func name() -> [UInt8] {
        var name: [UInt8] = []
        while let byte = rest.first, byte != UInt8(ascii: "<") {
            expect(byte >= 0x20 || byte == 0x09 || byte == 0x0A, "a control character")
            expect(byte != UInt8(ascii: ">"), "markup in a name")
            rest = rest.dropFirst()
            name.append(byte == UInt8(ascii: "&") ? entity() : byte)
        }
        return name
    }

    private mutating func entity() -> UInt8 {
        let text = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest.dropFirst(text.count + 1)
        switch String(decoding: text, as: UTF8.self) {
        case "amp": return UInt8(ascii: "&")
        case "lt": return UInt8(ascii: "<")
        case "gt": return UInt8(ascii: ">")
        case "#13": return 0x0D
        default: finding("an unknown entity")
        }
    }
}
