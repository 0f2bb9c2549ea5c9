/// The error messages of an import, of which some of each kind are shown and the rest are counted.
struct ImportComplaints {
    /// The maximum number of messages to show, and so of different errors.
    private static let shownLimit = 100
    /// The maximum number of messages to show for the same error.
    private static let equalLimit = 20

    private struct Reason {
        let text: String
        var shown = 0
        var hidden = 0
    }

    /// The number of messages.
    private(set) var count = 0
    private var shown = 0
    private var reasons: [Reason] = []
    /// The number of hidden messages whose error is not counted separately.
    private var others = 0

    /// Adds a message and returns the line to show, or nil if it is only counted.
    mutating func add(_ place: String, _ text: String) -> String? {
        count += 1
        let mayShow = shown < Self.shownLimit
        guard let index = reasons.firstIndex(where: { $0.text == text }) else {
            if mayShow {
                reasons.append(Reason(text: text, shown: 1))
                shown += 1
                return "\(place): \(text)"
            }
            others += 1
            return nil
        }
        guard mayShow, reasons[index].shown < Self.equalLimit else {
            reasons[index].hidden += 1
            return nil
        }
        reasons[index].shown += 1
        shown += 1
        return "\(place): \(text)"
    }

    /// The number of hidden messages for each error, one line each.
    var summary: [String] {
        let hidden = reasons.filter { $0.hidden > 0 }.map { "\($0.hidden) more: \($0.text)" }
        return hidden + (others > 0 ? ["\(others) more for other reasons"] : [])
    }
}
