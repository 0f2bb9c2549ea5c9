/// Whether an event takes place, with the values of schema.org.
package enum EventStatus: String, CaseIterable, Sendable {
    case scheduled, cancelled
    /// It has no new date yet.
    case postponed

    /// Creates the status of a column's value: NULL and unknown texts are scheduled.
    package init(stored text: String?) {
        self = text.flatMap(EventStatus.init) ?? .scheduled
    }
}

/// Who can see an event: everybody, or only its owner and the users who attend it.
package enum EventVisibility: String, CaseIterable, Sendable {
    case everybody = "public"
    case guests = "private"
}

/// A set of statuses, as a bit for each; those of hidden events have bits of their own.
package struct EventStatuses: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ status: EventStatus) {
        switch status {
        case .scheduled: rawValue = 1
        case .cancelled: rawValue = 2
        case .postponed: rawValue = 4
        }
    }

    /// Creates the status of an event.
    init(_ event: Event) {
        let status = EventStatuses(event.attributes.status)
        self = event.hidden == nil ? status : status.ofHiddenEvents
    }

    /// Whether they are those of hidden events.
    var isOfHiddenEvents: Bool { rawValue > EventStatuses.any.rawValue }

    /// The statuses as those of hidden events.
    var ofHiddenEvents: EventStatuses { EventStatuses(rawValue: rawValue << 3) }

    package static let scheduled = EventStatuses(.scheduled)
    package static let any = EventStatuses(rawValue: 7)
}
