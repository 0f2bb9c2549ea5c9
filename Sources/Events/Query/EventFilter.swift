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
    package var statuses = EventStatuses.scheduled
    /// Conditions on words, tags, categories and series, all of which events must meet.
    package var terms: [TermCondition] = []
    package var ownerID: Int64?
    /// The id of a user attending the events.
    package var attendeeID: Int64?
    /// The ids of the events among which it selects, in rising order; nil for all events.
    package var ids: [Int64]?
    /// Whether the events are hidden or not; nil for both.
    package var isHidden: Bool?
    package var viewer = EventViewer.everybody

    package init() {}
}

extension EventFilter {
    /// Returns whether the region contains a place; true without a region.
    package func contains(_ place: Coordinate) -> Bool {
        if let box, !box.contains(place) { return false }
        let point = place.unitVector
        if let polygon, !polygon.contains(point) { return false }
        guard let origin, let radius else { return true }
        return radius.contains(origin.millimetres(to: point))
    }

    /// The statuses of the events in memory that the filter selects.
    var storedStatuses: EventStatuses {
        let ofHidden = viewer.seesHidden ? statuses.ofHiddenEvents : []
        return switch isHidden {
        case nil: statuses.union(ofHidden)
        case true?: ofHidden
        case false?: statuses
        }
    }

    /// A circle around the region, with a radius in km; nil without a region.
    package var circle: (center: UnitVector, radius: Double)? {
        var circles: [(center: UnitVector, radius: Double)] = []
        if let origin, let radius { circles.append((origin.point, radius.kilometres)) }
        if let polygon {
            circles.append((polygon.center, polygon.angle * Coordinate.sphereRadius))
        }
        if let box { circles.append((box.middle, box.reach)) }
        return circles.min { $0.radius < $1.radius }
    }

    /// Returns whether an event matches that was read later than the events in memory.
    package func matches(_ event: Event, _ representation: EventRepresentation) -> Bool {
        var alone = AllEvents(keepsContents: false)
        alone.apply([EventChange(event, representation, withContent: false)])
        var filter = self
        // The event was found among these.
        (filter.ids, filter.attendeeID) = (nil, nil)
        let query = EventQuery(filter: filter, order: .id(isDescending: false), limit: 1)
        let bounds = SearchBounds(entries: SearchLimits().entries, allowsPartialPages: false)
        return (try? alone.page(query, attended: nil, bounds))?.matches.isEmpty == false
    }
}

/// The sender of a request, for the question which events they can see.
package struct EventViewer: Equatable, Sendable {
    /// The id of a user who requests their own events, with the private and hidden ones; nil for
    /// events that everybody can see.
    package var userID: Int64?
    /// The digest of the request's token; nil without one.
    package var token: [UInt8]?
    /// Whether this user sees their own hidden events: only some representations can say that.
    package var seesHidden: Bool
    /// Whether all events can be seen, also those that only some users see.
    package let isAdmin: Bool
    /// The owners that the user of the token blocks, which `AllEvents` looks up.
    var blocked = BlockedOwners()

    package static let everybody = EventViewer()

    /// An admin, who sees all events.
    package static let admin = EventViewer(seesHidden: true, isAdmin: true)

    package init(
        userID: Int64? = nil,
        token: [UInt8]? = nil,
        seesHidden: Bool = false,
        isAdmin: Bool = false
    ) {
        self.userID = userID
        self.token = token
        self.seesHidden = seesHidden
        self.isAdmin = isAdmin
    }

    /// Whether some events in memory may not be seen.
    var isRestricted: Bool { userID != nil || !blocked.isEmpty }

    /// Returns whether the viewer sees an event of this owner.
    @inline(__always)
    func sees(eventOf owner: Int64, isHidden: Bool) -> Bool {
        isAdmin || (isHidden ? owner == userID : !blocked.contains(owner))
    }
}

/// The maximum distance of a query.
package struct SearchRadius: Equatable, Sendable {
    /// 0 or more, in `unit`.
    package let radius: Double
    package let unit: DistanceUnit
    /// Whether exact distances are compared with it, and not those in whole millimetres.
    package let isExact: Bool

    package init(_ radius: Double, _ unit: DistanceUnit, isExact: Bool = false) {
        self.radius = radius
        self.unit = unit
        self.isExact = isExact
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
    /// The hours from the start of an event without `endedAt` to its end; 0 to 24.
    ///
    /// Only windows use this end: no representation shows it.
    package var openEndHours: Int

    package init(
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        includesOngoing: Bool = true,
        openEndHours: Int = 0
    ) {
        self.from = from
        self.to = to
        self.includesOngoing = includesOngoing
        self.openEndHours = openEndHours
    }

    /// The duration of an event without `endedAt`, in ms.
    package var openEndMilliseconds: Int64 { Int64(min(max(openEndHours, 0), 24)) * 3_600_000 }

    /// The start after which an event without `endedAt` ends in the window or later, in ms since
    /// 1970; `Int64.min` if all of them do.
    package var openStart: Int64 {
        guard let from = from?.milliseconds else { return .min }
        guard includesOngoing else { return from }
        let (start, overflows) = from.subtractingReportingOverflow(openEndMilliseconds)
        return overflows ? .min : start
    }

    /// Returns whether an event takes place in the window; both values are ms since 1970.
    package func contains(startedAt: Int64, endedAt: Int64?) -> Bool {
        if let to, startedAt >= to.milliseconds { return false }
        guard let from, startedAt < from.milliseconds else { return true }
        guard let endedAt else { return startedAt > openStart }
        return includesOngoing && endedAt > from.milliseconds
    }
}
