import Model

extension Schema {
    /// An event in the format of the apps.
    static let event = Schema.record([
        "address": .text(upTo: 1000).orNull,
        "ended_at": Schema.time.orNull,
        "id": .recordID,
        "lat": .number(from: -90, upTo: 90),
        "lon": .number(from: -180, upTo: 180),
        "name": .text(from: 1, upTo: 255),
        "started_at": .time,
        "owner": .record(["id": .recordID]),
    ]).named("Event")

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

    private static let requiredMembers = ["name", "lat", "lon", "started_at"]

    /// Returns a schema for an event's attributes; forms have blank values instead of null.
    private static func eventInput(
        inForm isForm: Bool = false,
        required: [String] = []
    ) -> Schema {
        let address = Schema.words(upTo: 1000)
        let end = Schema.anyOf([.timeInput, .blankText] + (isForm ? [] : [.null]))
        return Schema.object(
            required: required,
            [
                "name": .nonBlankWords(upTo: 255).meaning("Up to 255 characters."),
                "address": (isForm ? address : address.orNull)
                    .meaning("Up to 1000 characters. Optional."),
                "lat": .latitude,
                "lon": .longitude,
                "started_at": .timeInput,
                "ended_at": end.meaning("A time. Optional."),
                "end_at": Schema.any.meaning("An alias of ended_at."),
            ]
        ).with("anyOf", [["required": ["ended_at"]], Schema.object(["end_at": end]).node])
    }
}
