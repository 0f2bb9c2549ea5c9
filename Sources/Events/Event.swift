package import Time

/// An event with a place and a time, published by a user.
package struct Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and is the only one who may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }
}

/// The attributes of an event that its owner can set; valid if `EventDraft` made them.
package struct EventAttributes: Equatable, Sendable {
    package var name: String
    package var address: String?
    package var coordinate: Coordinate
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// The values of `EventColumn.details` that are set, in the order of the columns.
    private var details: [Detail] = []

    private struct Detail: Equatable {
        let column: EventColumn
        /// The stored form.
        let text: String
    }

    package init(
        name: String,
        address: String? = nil,
        coordinate: Coordinate,
        startedAt: Timestamp,
        endedAt: Timestamp? = nil
    ) {
        self.name = name
        self.address = address
        self.coordinate = coordinate
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// The value of one of `EventColumn.details`; nil if it is not set.
    package subscript(column: EventColumn) -> String? {
        get { details.first { $0.column == column }?.text }
        set {
            let next = details.firstIndex { $0.column.rawValue >= column.rawValue }
            let index = next ?? details.endIndex
            if index < details.endIndex, details[index].column == column {
                details.remove(at: index)
            }
            if let newValue { details.insert(Detail(column: column, text: newValue), at: index) }
        }
    }

    package var status: EventStatus { EventStatus(stored: self[.status]) }

    /// Whether only the owner and the guests can see it; any stored value makes an event private.
    package var isPrivate: Bool { self[.visibility] != nil }

    /// The normalized tags, in the order in which they were sent.
    package var tags: [String] { self[.tags].map(Self.tags) ?? [] }

    /// The category, if there is one, and then the tags.
    package var terms: [String] { [self[.category]].compactMap(\.self) + tags }

    /// Returns the tags in a list that is separated by commas.
    package static func tags(in list: String) -> [String] {
        list.split(separator: ",").map(String.init)
    }
}
