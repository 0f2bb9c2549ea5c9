import Model

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
    throw ConformanceFailure(name, expected: text(of: expected), actual: text(of: actual))
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

private func text(of value: Any) -> String {
    let text =
        switch value {
        // An event describes itself by a reference, which says nothing.
        case let event as Event: "\(EventRecord(event))"
        case let events as [Event]: list(events)
        case let value as String: "\"\(value)\""
        default: "\(value)"
        }
    return text.count > 500 ? "\(text.prefix(500))… (\(text.count) characters)" : text
}

extension EventRecord {
    init(_ event: Event) {
        self.init(id: event.id, ownerID: event.ownerID, attributes: event.attributes)
    }
}
