package import Time

/// The conditions that the events of a result meet.
package struct EventFilter: Equatable, Sendable {
    /// The point that distances are measured from.
    package var origin: DirectionOrigin?
    /// The maximum distance from the point, or nil if distances are not limited.
    package var radius: SearchRadius?
    package var box: BoundingBox?
    package var polygon: SphericalPolygon?
    package var window = EventWindow()
    package var ownerID: Int64?
    /// The id of a user attending the events.
    package var attendeeID: Int64?

    package init() {}
}

/// The maximum distance of a query.
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

    /// Returns whether a distance in mm is within the radius, after converting it to the radius's
    /// unit.
    package func contains(_ millimetres: Int64) -> Bool {
        unit.distance(ofMillimetres: millimetres) <= radius
    }
}

/// A half-open time window: from `from` up to, but not including, `to`.
package struct EventWindow: Equatable, Sendable {
    package var from: Timestamp?
    package var to: Timestamp?
    /// Whether the window includes events that began before it.
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
