import Events
import Model
import Rules

/// A difference between what a storage must do and what it did.
package struct ConformanceFailure: Error, Equatable, CustomStringConvertible {
    /// What was examined, such as `the event after the update`.
    package let value: String
    package let expected: String
    package let actual: String

    init(_ value: String, expected: String, actual: String) {
        self.value = value
        self.expected = expected
        self.actual = actual
    }

    package var description: String {
        "\(value): expected \(expected), got \(actual)"
    }
}

/// Throws `ConformanceFailure` unless the values are equal.
///
/// - Parameters:
///   - name: What the values are, such as `the event after the update`.
///   - actual: What the storage returned.
///   - expected: What it must return.
/// - Throws: `ConformanceFailure`.
func expect<Value: Equatable>(
    _ name: String,
    _ actual: Value,
    equals expected: Value
) throws(ConformanceFailure) {
    guard actual != expected else { return }
    let (expected, actual) = (text(of: expected), text(of: actual))
    throw ConformanceFailure(
        name,
        expected: excerpt(of: expected, comparedWith: actual),
        actual: excerpt(of: actual, comparedWith: expected)
    )
}

/// Throws `ConformanceFailure`, with the first difference, unless the lists are equal.
func expect<Element: Equatable>(
    _ name: String,
    _ actual: [Element],
    equals expected: [Element]
) throws(ConformanceFailure) {
    guard actual != expected else { return }
    guard max(actual.count, expected.count) > 8 else {
        throw ConformanceFailure(name, expected: list(expected), actual: list(actual))
    }
    let same = zip(actual, expected).prefix { $0 == $1 }.count
    throw ConformanceFailure(
        name,
        expected: excerpt(of: expected, from: same),
        actual: excerpt(of: actual, from: same)
    )
}

/// Throws `ConformanceFailure` unless `body` throws this error.
func expect<Failure: Error & Equatable>(
    _ name: String,
    throws expected: Failure,
    _ body: () async throws -> Void
) async throws(ConformanceFailure) {
    try await expect(name, throws: "the error \(expected)", body) { $0 as? Failure == expected }
}

/// Throws `ConformanceFailure` unless `body` throws `ModelError.storage`, whatever its cause.
func expectRefusal(
    of name: String,
    _ body: () async throws -> Void
) async throws(ConformanceFailure) {
    try await expect(name, throws: "the error ModelError.storage", body) { error in
        if case .storage = error as? ModelError { true } else { false }
    }
}

private func expect(
    _ name: String,
    throws expected: String,
    _ body: () async throws -> Void,
    where isExpected: (any Error) -> Bool
) async throws(ConformanceFailure) {
    do {
        try await body()
    } catch {
        if isExpected(error) { return }
        throw ConformanceFailure(name, expected: expected, actual: "the error \(error)")
    }
    throw ConformanceFailure(name, expected: expected, actual: "no error")
}

private func excerpt<Element>(of elements: [Element], from index: Int) -> String {
    let shown = elements.dropFirst(index).prefix(3).map { text(of: $0) }
    let more = elements.count > index + shown.count ? ["…"] : []
    return "[\((shown + more).joined(separator: ", "))] from index \(index) of \(elements.count)"
}

private func list<Element>(_ elements: [Element]) -> String {
    "[\(elements.map { text(of: $0) }.joined(separator: ", "))]"
}

/// The part of a long text where it begins to differ from another.
private func excerpt(of text: String, comparedWith other: String) -> String {
    guard max(text.count, other.count) > 500 else { return text }
    let same = zip(text, other).prefix { $0 == $1 }.count
    let start = max(0, same - 50)
    let shown = text.dropFirst(start).prefix(200)
    return "…\(shown)… from character \(start) of \(text.count)"
}

/// Describes a value without the names of modules and without `Optional`.
private func text(of value: Any) -> String {
    // An event describes itself by a reference, which says nothing.
    if let event = value as? Event { return text(of: EventRecord(event)) }
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { child in
        (child.label.map { "\($0): " } ?? "") + text(of: child.value)
    }
    return switch mirror.displayStyle {
    case .optional: mirror.children.first.map { text(of: $0.value) } ?? "nil"
    case .collection: "[\(children.joined(separator: ", "))]"
    case .struct where !children.isEmpty:
        "\(type(of: value))(\(children.joined(separator: ", ")))"
    default: value is String ? "\"\(value)\"" : "\(value)"
    }
}

extension EventRecord {
    init(_ event: Event) {
        self.init(id: event.id, ownerID: event.ownerID, attributes: event.attributes)
    }
}
