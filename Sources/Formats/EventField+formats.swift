package import Events
package import JSON
package import Model
import Rules
import Time

extension EventField {
    /// Returns the text of an event's cell in CSV, or nil if the value is null.
    package func cell(of event: EventRecord) -> String? {
        guard let column else { return nil }
        switch event.value(of: column) {
        case .null, .bytes: return nil
        case _ where self == .hidden: return event.hidden == nil ? nil : "true"
        case .integer(let number):
            return column.column.isTime ? Timestamp(milliseconds: number).text : String(number)
        case .double(let number): return String(number)
        case .text(let text): return shown(text).map(FormulaGuard.guarded)
        case .boolean(let value): return String(value)
        }
    }

    /// Returns what responses and exports show of a stored text; nil for data that is no object
    /// and an unknown status, which another program stored.
    fileprivate func shown(_ text: String) -> String? {
        switch self {
        case .data:
            let depth = JSONParser.greatestDepth
            guard case .object(let json, _) = Input.text(text).object(maximumDepth: depth) else {
                return nil
            }
            return json
        case .visibility: return EventVisibility.guests.rawValue
        case .status where EventStatus(stored: text) == .scheduled: return nil
        default: return text
        }
    }
}

extension JSONWriter {
    /// Writes an event's value of a field as a JSON member, in the format of the API and exports.
    package mutating func field(_ field: EventField, of event: EventRecord) {
        guard let column = field.column else { return }
        if let text = event.attributes[column] { return detail(field, text) }
        if EventField.details.contains(field) { return }
        // Why it is hidden stays with the operator.
        if field == .hidden {
            if event.hidden != nil { self.field("hidden", true) }
            return
        }
        key(text: field.rawValue)
        switch event.value(of: column) {
        case .null, .bytes: null()
        case .integer(let id) where column == .ownerID:
            object {
                $0.field("id", id)
                if let name = event.ownerName { $0.field("name", name) }
            }
        case .integer(let number) where column.column.isTime:
            value(Timestamp(milliseconds: number))
        case .integer(let number): value(number)
        case .double(let number): value(number)
        case .text(let text): value(text)
        case .boolean(let boolean): value(boolean)
        }
    }

    /// Writes a detail from its stored form, unless it isn't shown.
    private mutating func detail(_ field: EventField, _ text: String) {
        guard let shown = field.shown(text) else { return }
        key(text: field.rawValue)
        switch field {
        case .tags: array(EventAttributes.tags(in: shown)) { $0.value($1) }
        case .data: encoded(shown.utf8Span.span)
        case .allDay: value(true)
        default: value(shown)
        }
    }

    /// Writes an event as the API and exports represent it; omits `id` if it is nil.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - namesCause: Whether the cause is written why it is hidden, which only exports do.
    package mutating func event(_ event: EventRecord, namesCause: Bool = false) {
        object { json in
            for field in EventField.members where field != .id || event.id != nil {
                json.field(field, of: event)
            }
            if namesCause, let cause = event.hidden {
                json.field("hidden", cause.name)
            } else {
                json.field(.hidden, of: event)
            }
        }
    }

    /// Writes an event as a Point feature (RFC 7946, section 3.2).
    ///
    /// The closure writes the members of `properties`. A nil id is omitted.
    package mutating func feature(_ event: EventRecord, properties: (inout JSONWriter) -> Void) {
        let coordinate = event.attributes.coordinate
        object {
            $0.field("type", "Feature")
            if let id = event.id { $0.field("id", id) }
            $0.object("geometry") {
                $0.field("type", "Point")
                $0.array("coordinates", [coordinate.longitude, coordinate.latitude]) {
                    $0.value($1)
                }
            }
            $0.object("properties", properties)
        }
    }
}
