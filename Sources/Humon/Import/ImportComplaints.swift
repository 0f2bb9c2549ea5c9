/// What is said of records that can't be stored; of many that are equal a few are shown, and the
/// others are counted.
struct ImportComplaints {
    /// The most that are shown, and so the most reasons that are told apart.
    private static let shownLimit = 100
    /// The most of one reason that are shown.
    private static let equalLimit = 20

    private struct Reason {
        let text: String
        var shown = 0
        var hidden = 0
    }

    /// How many there are.
    private(set) var count = 0
    private var shown = 0
    private var reasons: [Reason] = []
    /// Those whose reason was not told apart.
    private var others = 0

    /// Takes a complaint and returns the line to show; nil if it is only counted.
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

    /// How many of each reason were not shown, a line for each.
    var summary: [String] {
        let hidden = reasons.filter { $0.hidden > 0 }.map { "\($0.hidden) more: \($0.text)" }
        return hidden + (others > 0 ? ["\(others) more for other reasons"] : [])
    }
}
