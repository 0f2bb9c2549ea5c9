package import Rules
package import Time

/// An event with a place and a time, published by a user.
package struct Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and is the only one who may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes
    /// Why only the owner can see it; nil for an event that is not hidden.
    package var hidden: HidingCause?
    /// The name of the owner, which is the user's and no part of the event; nil without one.
    package var ownerName: String?

    package init(
        id: Int64,
        ownerID: Int64,
        attributes: EventAttributes,
        hidden: HidingCause? = nil
    ) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
        self.hidden = hidden
    }

    /// Whether everybody can see it.
    package var isPublic: Bool { !attributes.isPrivate && hidden == nil }
}

/// Why an event is hidden from everybody but its owner, with the values of the column.
package enum HidingCause: Int64, CaseIterable, Sendable {
    /// An operator hid it.
    case admin = 1
    /// As many users reported it as REPORTS_HIDE says.
    case reports = 2
    /// It has blocked words.
    case words = 3
    /// Its owner is banned.
    case ban = 4

    /// The name in files and for operators.
    package var name: String { "\(self)" }

    /// Creates the cause with this name.
    package init?(named name: String) {
        guard let cause = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = cause
    }
}

extension HidingCause? {
    /// The value of the column.
    package var stored: ColumnValue { .integer(self?.rawValue ?? 0) }
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

    /// Whether it takes whole days: from the date of its start to that of its end.
    package var isAllDay: Bool { self[.allDay] != nil }

    /// The time when it is over, which is a midnight for an all-day event; nil if it has no end.
    package var end: Timestamp? {
        isAllDay ? max(startedAt, endedAt ?? startedAt).nextMidnight : endedAt
    }

    package var status: EventStatus { EventStatus(stored: self[.status]) }

    /// Whether only the owner and the guests can see it; any stored value makes an event private.
    package var isPrivate: Bool { self[.visibility] != nil }

    /// The normalized tags, in the order in which they were sent.
    package var tags: [String] { self[.tags].map(Self.tags) ?? [] }

    /// The category, if there is one, and then the tags.
    package var terms: [String] { [self[.category]].compactMap(\.self) + tags }

    /// The texts that people read, which searches and the list of blocked words look at.
    package var texts: [String] {
        ([name, self[.category]] + tags + [address, self[.description]]).compactMap(\.self)
    }

    /// Returns the tags in a list that is separated by commas.
    package static func tags(in list: String) -> [String] {
        // A comma with a mark after it is no comma among `Character`s.
        list.unicodeScalars.split(separator: ",").map(String.init)
    }
}
