import JSON
package import Model
import Words

extension StorageFacts {
    /// The number of values that are listed at most.
    private static let mostUnusualValues = 20

    /// Adds the events whose tags or data Humon would not store, which SQL can't tell.
    ///
    /// - Parameter page: Returns the next events after an id that have tags or data, by ascending
    ///   id, and none at the end.
    package mutating func addUnusualValues(
        _ page: (_ id: Int64) throws -> [(id: Int64, tags: String?, data: String?)]
    ) rethrows {
        var last = Int64.min
        while unusualValues.count < Self.mostUnusualValues {
            let events = try page(last)
            guard let end = events.last else { return }
            last = end.id
            for event in events where unusualValues.count < Self.mostUnusualValues {
                if let tags = event.tags, !Self.isNormal(tags: tags) {
                    unusualValues.append("event \(event.id) has tags in another form")
                }
                if let data = event.data, !Self.isObject(data) {
                    unusualValues.append("event \(event.id) has data that is no JSON object")
                }
            }
        }
    }

    private static func isNormal(tags: String) -> Bool {
        let list = try? Tag.list(Tag.split(tags)).map(\.text).joined(separator: ",")
        return list == tags
    }

    private static func isObject(_ data: String) -> Bool {
        let depth = JSONParser.greatestDepth
        let value = try? JSONParser.parse(data.utf8Span.span, maximumDepth: depth)
        if case .object = value { return true }
        return false
    }
}
