import Events
import Rules

extension Schema {
    /// An event in the format of the apps.
    static let event = event().named("Event")

    /// The event of an attendance.
    static let attendedEvent = event(required: [.id])
        .meaning("Only the id is always there. The other members are those of an event.")
        .named("AttendedEvent")

    /// An event as admins see it.
    static let moderatedEvent = event(
        hidden: .text(oneOf: HidingCause.allCases.map(\.name)),
        [("reports", .integer(from: 1)), ("attendances", .integer(from: 0))]
    ).named("Event")

    /// A page of events.
    static let eventPage = Schema.object(
        required: ["events", "next"],
        members: counts + [("events", .array(of: .event)), ("next", next)]
    ).named("EventPage")

    /// A page of events in GeoJSON.
    static let featureCollection = Schema.object(
        required: ["type", "features", "next"],
        members: [("type", .text(oneOf: ["FeatureCollection"]))] + counts
            + [("features", .array(of: .feature)), ("next", next)]
    ).named("EventFeatureCollection")

    /// An event in GeoJSON.
    static let feature = Schema.record([
        "type": .text(oneOf: ["Feature"]), "id": .recordID,
        "geometry": Schema.record([
            "type": .text(oneOf: ["Point"]),
            "coordinates": .array(of: .number()).meaning("Longitude and latitude in degrees."),
        ]).named("Point"),
        "properties": Schema.object(
            members: EventField.featureProperties.map { ($0.rawValue, value(of: $0)) }
        ).named("EventProperties"),
    ]).named("EventFeature")

    /// The members of a page with the number of matching events.
    static let counts: [(key: String, value: Schema)] = [
        ("count", Schema.integer(from: 0).meaning("The number of matching events, if requested.")),
        ("count_is_exact", .boolean),
    ]

    /// The cursor of a page.
    static let next = Schema.text().orNull
        .meaning("The cursor of the next page; null on the last one.")

    private static func event(
        required: [EventField] = EventField.members.filter(EventField.always.contains),
        hidden: Schema? = nil,
        _ others: [(key: String, value: Schema)] = []
    ) -> Schema {
        let fields = EventField.allCases.map { field in
            (field.rawValue, field == .hidden ? hidden ?? value(of: field) : value(of: field))
        }
        return .object(required: required.map(\.rawValue), members: fields + others)
    }

    /// A user as others see it, with the name if the user has one.
    static let person = Schema.object(
        required: ["id"],
        ["id": .recordID, "name": .text(upTo: 100)]
    ).named("Person")

    /// Returns the schema of a field's values in responses.
    private static func value(of field: EventField) -> Schema {
        switch field {
        case .id: return .recordID
        case .owner: return .person
        case .lat: return .number(from: -90, upTo: 90)
        case .lon: return .number(from: -180, upTo: 180)
        case .tags: return .array(of: .text(from: 1, upTo: 50))
        case .data: return .anyObject
        case .hidden: return .boolean.meaning("true for the owner, if an operator has hidden it.")
        case .createdAt, .updatedAt: return .time
        case .distance: return direction("In the unit of the search")
        case .bearing: return direction("Degrees clockwise from north")
        default: break
        }
        guard let column = field.column else { return .any }
        let details = column.column
        let value: Schema =
            switch details.kind {
            case .integer: details.isTime ? .time : .integer()
            case .double: .number()
            case .text: .text(from: details.isOptional ? nil : 1, upTo: details.maximumLength)
            case .boolean: .boolean
            case .bytes: .any
            }
        let isNull = details.isOptional && !EventColumn.details.contains(column)
        return isNull ? value.orNull : value
    }

    private static func direction(_ meaning: String) -> Schema {
        number(from: 0).orNull.meaning("\(meaning), from the point of the search, if it has one.")
    }

    /// An example of an event in JSON.
    static let exampleEvent =
        #"{"address":"85 2nd St","ended_at":"2030-06-01T19:00:00.000Z","id":2,"lat":37.7881,"#
        + #""lon":-122.4002,"name":"Concert","started_at":"2030-06-01T18:00:00.000Z","#
        + #""owner":{"id":3}}"#

    /// The attributes of a complete event; other members are ignored.
    static let completeEvent = eventInput(required: requiredMembers)
        .named("CompleteEvent")
    static let completeEventForm = eventInput(inForm: true, required: requiredMembers)
        .named("CompleteEventForm")

    /// At least one attribute of an event; other members are ignored.
    static let partOfEvent = eventInput().named("PartOfEvent")
    static let partOfEventForm = eventInput(inForm: true).named("PartOfEventForm")

    private static let requiredMembers = EventField.attributes
        .filter { $0.column?.column.isOptional == false }.map(\.rawValue)

    /// Returns a schema for an event's attributes; forms have blank values instead of null.
    private static func eventInput(inForm isForm: Bool = false, required: [String] = []) -> Schema {
        let attributes = EventField.attributes.map { field in
            (field.rawValue, field.column.map { input(of: $0, inForm: isForm) } ?? .any)
        }
        return .object(required: required, members: attributes)
    }

    /// Returns the schema of a column's values in requests.
    private static func input(of column: EventColumn, inForm isForm: Bool) -> Schema {
        let details = column.column
        let value = value(of: column, inForm: isForm)
        return details.isOptional && !isForm ? value.orNull : value
    }

    private static func value(of column: EventColumn, inForm isForm: Bool) -> Schema {
        let details = column.column
        let maximum = details.maximumLength
        switch (column, details.kind) {
        case (.latitude, _): return .latitude
        case (.longitude, _): return .longitude
        case (.tags, _):
            let tags = isForm ? Schema.text(upTo: 2000) : .array(of: .text(upTo: 50), upTo: 10)
            return tags.meaning(
                "Up to 10 texts of up to 50 characters, or a text with commas. Optional."
            )
        case (.data, _):
            return isForm
                ? .text(upTo: maximum).meaning("The JSON of an object. Optional.")
                : .anyObject.meaning("An object of up to \(maximum) bytes. Optional.")
        case (.allDay, _):
            return .boolean
                .meaning("Whether it takes whole days: its times are dates alone. Optional.")
        case (_, .integer) where details.isTime:
            return details.isOptional ? .timeInput(" Optional.") : .timeInput()
        case (_, .text) where details.isOptional:
            return .text(upTo: maximum).meaning("Up to \(maximum) characters. Optional.")
        case (_, .text):
            return .text(from: 1, upTo: maximum).meaning("Up to \(maximum) characters.")
        default: return .any
        }
    }
}
