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
    /// The query of a stream has no limit and no wait.
    init(
        _ call: Call,
        isStream: Bool,
        systems: Set<ServedSystem>,
        _ context: EventParameterContext
    ) throws {
        let hasEvents = systems.contains(.humon)
        var others = isStream ? Self.names : Self.namesOfPages
        if hasEvents { others.append("mine") }
        if systems.contains(.todo) { others += ["tasks", Parameters.accessToken] }
        let parameters = try call.parameters()
        let region = try RegionQuery(
            parameters.query,
            names: hasEvents ? EventParameterName.ofChanges : [],
            others: others,
            context
        )
        let query = region.query
        func value(_ name: String) -> String? {
            let input = parameters[name]
            return input.isBlank ? nil : input.spelling
        }
        let (mine, tasks) = (value("mine"), value("tasks"))
        var since = value("since")
        if isStream, let last = call.request.headers["last-event-id"], !last.isEmpty {
            since = last
        }
        var errors = region.errors
        func report(_ attribute: String, _ predicate: String) {
            errors.append(AttributeError(attribute, predicate))
        }
        let isRegion = !query.values.pairs.isEmpty
        let (isMine, isTasks) = (mine == "1", tasks == "1")
        if mine != nil, !isMine { report("Mine", "must be 1") }
        if tasks != nil, !isTasks { report("Tasks", "must be 1") }
        if !region.hasPlace, mine == nil, tasks == nil {
            report("Send", "lat and lon, bbox, within, mine or tasks")
        }
        if isMine, isRegion { report("Mine", "can't be combined with a region") }
        if isTasks, isRegion { report("Tasks", "can't be combined with a region") }
        if isMine, isTasks { report("Mine", "can't be combined with tasks") }
        errors += region.furtherErrors
        let start = Self.start(since)
        if start == nil { report("Since", "is invalid") }
        func number(_ name: String, in range: ClosedRange<Int>, usual: Int) -> Int {
            guard !isStream, let text = value(name) else { return usual }
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
        for name in query.unknown {
            report("Unknown", "parameter: \(String(name.unicodeScalars.prefix(40)))")
        }
        guard errors.isEmpty, let filter = region.filter, let start else {
            throw ModelError.invalid(Array(errors.prefix(EventParameters.maximumErrors)))
        }
        subject = isMine ? .mine : isTasks ? .tasks : .region(filter)
        (self.start, text) = (start, isMine ? "mine=1" : isTasks ? "tasks=1" : query.filterText)
    }

    private static let names = ["since"]
    private static let namesOfPages = names + ["limit", "wait"]

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
