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
        let region = try RegionQuery(
            call.request.query,
            names: hasEvents ? EventParameterName.ofChanges : [],
            context
        )
        let query = region.query
        let ofPages = isStream ? [] : ["limit", "wait"]
        let own = try Self.ownValues(of: call, isStream: isStream, names: ofPages)
        let ofTasks = systems.contains(.todo) ? ["tasks", Parameters.accessToken] : []
        let accepted = ["since"] + ofPages + (hasEvents ? ["mine"] : []) + ofTasks
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
        subject = isMine ? .mine : isTasks ? .tasks : .region(filter)
        (self.start, text) = (start, isMine ? "mine=1" : isTasks ? "tasks=1" : query.filterText)
    }

    /// Returns the values of the parameters that are not those of searches; `names` are some of
    /// these.
    private static func ownValues(
        of call: Call,
        isStream: Bool,
        names: [String]
    ) throws -> [String: String] {
        let all = try call.parameters()
        var own: [String: String] = [:]
        for name in ["mine", "tasks", "since"] + names where !all[name].isBlank {
            own[name] = all[name].spelling
        }
        if isStream, let last = call.request.headers["last-event-id"], !last.isEmpty {
            own["since"] = last
        }
        return own
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
