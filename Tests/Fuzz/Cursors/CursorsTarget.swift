import Events
import Model
import Web

/// Fuzzes cursors and secret codes: the server's can be read again, and no text traps.
///
/// The first byte selects a text, or a position whose cursor is changed in one character.
func fuzzCursors(_ input: inout FuzzInput) {
    if input.choice(below: 2) == 0 {
        check(input.text())
    } else {
        let position = EventPosition(key: input.integer(), id: input.integer())
        let changed = input.choice(below: 32)
        check(position, changed, input.text())
    }
}

/// A valid cursor equals the cursor that the server writes for its position, and a valid code is
/// the same code as people see it.
private func check(_ text: String) {
    if let code = SecretCode(text) {
        expect(code.secret.utf8.count == 16, "\(text) is a code of \(code.secret)")
        expect(SecretCode(code.text) == code, "\(text) is also written as \(code.text)")
        expect(SecretCode(code.text.lowercased()) == code, "\(code.text) has small letters")
    }
    if let cursor = ChangeCursor.read(text) {
        let written = ChangeCursor.text(of: cursor.position, digits: cursor.digits)
        let again = ChangeCursor.read(written)
        expect(again?.position == cursor.position, "\(text) is also written as \(written)")
    }
    guard case .position(let position) = EventCursor.read(text, filters: "") else { return }
    let written = EventCursor.text(of: position, filters: "")
    expect(written == text, "\(text) is also written as \(written)")
}

/// A cursor returns its position, belongs to its filters only, and detects a changed filter hash.
private func check(_ position: EventPosition, _ changed: Int, _ filters: String) {
    let text = EventCursor.text(of: position, filters: filters)
    guard case .position(position) = EventCursor.read(text, filters: filters) else {
        finding("\(text) is not read as \(position)")
    }
    guard case .ofAnotherQuery = EventCursor.read(text, filters: filters + "&") else {
        finding("\(text) is accepted for other filters")
    }
    var bytes = Array(text.utf8)
    bytes[changed] = bytes[changed] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    let other = String(decoding: bytes, as: UTF8.self)
    if case .position(position) = EventCursor.read(other, filters: filters) {
        finding("\(other) is read as \(text)")
    }
}
