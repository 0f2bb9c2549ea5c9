import Events
import HTTP
import Model
import Rules
import Time

/// The query of a request for changes.
struct ChangeQuery {
    /// The records to follow, before the user is known.
    enum Subject {
        case region(EventFilter)
        case mine
        case tasks
    }

    /// Where a client continues.
    enum Start: Equatable {
        case beginning
        /// After all changes so far.
        case now
        case cursor(ChangePosition, digits: String)
    }

    let subject: Subject
    let start: Start
    let limit: Int
    /// The longest wait for a change, in s.
    let wait: Int
    /// The filter in the form that identifies it.
    let text: String

    /// Validates the query of a request.
    ///
    /// Throws `ModelError.invalid` with a sentence for each problem, and `RequestError.malformed`.
    init(_ call: Call, systems: Set<ServedSystem>, _ context: EventParameterContext) throws {
        let hasEvents = systems.contains(.humon)
        let region = try RegionQuery(
            call.request.query,
            names: hasEvents ? EventParameterName.ofChanges : [],
            context
        )
        let query = region.query
        let all = try call.parameters()
        let own = ["mine", "tasks", "since", "limit", "wait"]
            .reduce(into: [String: String]()) { own, name in
                if !all[name].isBlank { own[name] = all[name].spelling }
            }
        let (ofEvents, ofTasks) = (["mine"], ["tasks", Parameters.accessToken])
        let accepted =
            ["since", "limit", "wait"] + (hasEvents ? ofEvents : [])
            + (systems.contains(.todo) ? ofTasks : [])
        var errors = region.errors
        func report(_ attribute: String, _ predicate: String) {
            errors.append(AttributeError(attribute, predicate))
        }
        let isRegion = !query.values.pairs.isEmpty
        let (isMine, isTasks) = (own["mine"] == "1", own["tasks"] == "1")
        for name in ["mine", "tasks"] where own[name] != nil && own[name] != "1" {
            report(name.capitalizedFirst, "must be 1")
        }
        if !region.hasPlace, own["mine"] == nil, own["tasks"] == nil {
            report("Send", "lat and lon, bbox, within, mine or tasks")
        }
        for (name, isNamed) in [("Mine", isMine), ("Tasks", isTasks)] where isNamed && isRegion {
            report(name, "can't be combined with a region")
        }
        if isMine, isTasks { report("Mine", "can't be combined with tasks") }
        errors += region.furtherErrors
        let start = Self.start(own["since"])
        if start == nil { report("Since", "is invalid") }
        func number(_ name: String, in range: ClosedRange<Int>, usual: Int) -> Int {
            guard let text = own[name] else { return usual }
            let number = try? Rule<Int>.integer(in: range).check(.text(text))
            if number == nil {
                report(
                    name.capitalizedFirst,
                    "must be between \(range.lowerBound) and \(range.upperBound)"
                )
            }
            return number ?? usual
        }
        limit = number("limit", in: 1...1000, usual: 100)
        wait = number("wait", in: 0...60, usual: 0)
        for name in query.unknown where !accepted.contains(name) {
            report("Unknown", "parameter: \(String(name.unicodeScalars.prefix(40)))")
        }
        guard errors.isEmpty, let filter = region.filter, let start else {
            throw ModelError.invalid(Array(errors.prefix(EventParameters.maximumErrors)))
        }
        self.start = start
        subject = isMine ? .mine : isTasks ? .tasks : .region(filter)
        text = isMine ? "mine=1" : isTasks ? "tasks=1" : query.filterText
    }

    /// Returns where a client continues; nil if that is invalid.
    private static func start(_ text: String?) -> Start? {
        guard let text, text != "0" else { return .beginning }
        if text == "now" { return .now }
        return ChangeCursor.read(text).map { .cursor($0.position, digits: $0.digits) }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
