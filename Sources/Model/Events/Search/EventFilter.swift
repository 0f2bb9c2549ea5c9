package import Time

/// What the events of a query have in common.
package struct EventFilter: Equatable, Sendable {
    /// The point from which distances are measured.
    package var origin: DirectionOrigin?
    /// The greatest distance from the point; nil for any.
    package var radius: SearchRadius?
    package var box: BoundingBox?
    package var polygon: SphericalPolygon?
    package var window = EventWindow()
    package var ownerID: Int64?
    /// The user who attends the events.
    package var attendeeID: Int64?

    package init() {}
}

/// The greatest distance of a query.
package struct SearchRadius: Equatable, Sendable {
    /// 0 or more, in `unit`.
    package let radius: Double
    package let unit: DistanceUnit

    package init(_ radius: Double, _ unit: DistanceUnit) {
        self.radius = radius
        self.unit = unit
    }

    /// The radius in km.
    package var kilometres: Double {
        switch unit {
        case .kilometres: radius
        case .metres: radius / 1000
        case .miles: radius * 1.609344
        }
    }

    /// Returns whether a distance in mm is within the radius, which compares what clients see.
    package func contains(_ millimetres: Int64) -> Bool {
        unit.distance(ofMillimetres: millimetres) <= radius
    }
}

/// The time in which events take place: from one instant, up to but not including another.
package struct EventWindow: Equatable, Sendable {
    package var from: Timestamp?
    package var to: Timestamp?
    /// Whether events count that began before the window.
    package var includesOngoing: Bool

    package init(from: Timestamp? = nil, to: Timestamp? = nil, includesOngoing: Bool = true) {
        self.from = from
        self.to = to
        self.includesOngoing = includesOngoing
    }

    /// Returns whether an event takes place in the window; both values are ms since 1970.
    package func contains(startedAt: Int64, end: Int64) -> Bool {
        if let to, startedAt >= to.milliseconds { return false }
        guard let from else { return true }
        if startedAt >= from.milliseconds { return true }
        return includesOngoing && end > from.milliseconds
    }
}

extension EventAttributes {
    /// The end of the event: the later of `endedAt` and `startedAt`, or `startedAt` alone.
    package var end: Timestamp { max(endedAt ?? startedAt, startedAt) }
}
