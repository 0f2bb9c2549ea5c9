import Events
import Rules

extension Schema {
    /// An event in the format of the apps.
    static let event = event([("hidden", .boolean)]).named("Event")

    /// An event as admins see it.
    static let moderatedEvent = event([
        ("hidden", .text(oneOf: HidingCause.allCases.map(\.name))), ("created_at", .time),
        ("updated_at", .time), ("reports", .integer(from: 1)), ("attendances", .integer(from: 0)),
    ]).named("Event")

    private static func event(_ others: [(key: String, value: Schema)]) -> Schema {
        .object(
            required: EventField.members.filter(EventField.always.contains).map(\.rawValue),
            members: EventField.members.map { ($0.rawValue, $0.column.map(value) ?? .any) } + others
        )
    }

    /// A user as others see it, with the name if the user has one.
    static let person = Schema.object(
        required: ["id"],
        ["id": .recordID, "name": .text(upTo: 100)]
    )

    /// Returns the schema of a column's values in responses.
    private static func value(of column: EventColumn) -> Schema {
        switch column {
        case .id: return .recordID
        case .ownerID: return .person
        case .latitude: return .number(from: -90, upTo: 90)
        case .longitude: return .number(from: -180, upTo: 180)
        case .tags: return .array(of: .text(from: 1, upTo: 50))
        case .data: return .any.with("type", "object")
        default: break
        }
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
    static let partOfEvent = eventInput().withAnyAttribute.named("PartOfEvent")
    static let partOfEventForm = eventInput(inForm: true).withAnyAttribute
        .named("PartOfEventForm")

    private var withAnyAttribute: Schema {
        let keys = EventDraft.keys + ["end_at"]
        let required = keys.map { Node.object([("required", .list([.text($0)]))]) }
        return with("allOf", .list([.object([("anyOf", .list(required))])]))
    }

    private static let requiredMembers = EventField.attributes
        .filter { $0.column?.column.isOptional == false }.map(\.rawValue)

    /// Returns a schema for an event's attributes; forms have blank values instead of null.
    private static func eventInput(inForm isForm: Bool = false, required: [String] = []) -> Schema {
        let attributes = EventField.attributes.map { field in
            (field.rawValue, field.column.map { input(of: $0, inForm: isForm) } ?? .any)
        }
        return Schema.object(
            required: required,
            members: attributes + [("end_at", Schema.any.meaning("An alias of ended_at."))]
        ).with(
            "anyOf",
            [["required": ["ended_at"]], Schema.object(["end_at": optionalTime(isForm)]).node]
        )
    }

    /// Returns the schema of a column's values in requests.
    private static func input(of column: EventColumn, inForm isForm: Bool) -> Schema {
        let details = column.column
        let maximum = details.maximumLength
        switch (column, details.kind) {
        case (.latitude, _): return .latitude
        case (.longitude, _): return .longitude
        case (.tags, _):
            return .anyOf(
                [.array(of: .words(upTo: 50)), .words(upTo: 2000)] + (isForm ? [] : [.null])
            )
            .meaning("Up to 10 texts of up to 50 characters, or a text with commas. Optional.")
        case (.data, _):
            return isForm
                ? .words(upTo: maximum).meaning("The JSON of an object. Optional.")
                : .any.with("type", ["object", "null"])
                    .meaning("An object of up to \(maximum) bytes. Optional.")
        case (.allDay, _):
            return .anyOf([.boolean, .words(upTo: 5)] + (isForm ? [] : [.null]))
                .meaning("Whether it takes whole days: its times are dates alone. Optional.")
        case (_, .integer) where details.isTime:
            return details.isOptional
                ? optionalTime(isForm).meaning("A time. Optional.") : .timeInput
        case (_, .text) where details.isOptional:
            let words = Schema.words(upTo: maximum)
            return (isForm ? words : words.orNull)
                .meaning("Up to \(maximum) characters. Optional.")
        case (_, .text):
            return .nonBlankWords(upTo: maximum).meaning("Up to \(maximum) characters.")
        default: return .any
        }
    }

    private static func optionalTime(_ isForm: Bool) -> Schema {
        .anyOf([.timeInput, .blankText] + (isForm ? [] : [.null]))
    }
}
