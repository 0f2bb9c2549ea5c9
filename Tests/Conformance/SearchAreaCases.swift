import Events
import Model
import Time

extension ConformanceCases {
    static let searchedAreas: [ConformanceCase] = searchedBoxes + searchedPolygons + searchedCircles

    private static let searchedBoxes: [ConformanceCase] = [
        ConformanceCase(.search, "finds events in a box across the antimeridian") { subject in
            let ids = try subject.store(
                [170, 175, 180, -180, -175, -170, 169.99, -169.99, 0].map { longitude in
                    Coordinate(latitude: 5, longitude: longitude)
                } + [Coordinate(latitude: 10.01, longitude: 175)]
            )

            for (west, east, expected) in [
                (170, -170, [0, 1, 2, 3, 4, 5]), (170, 190, [0, 1, 2, 3, 4, 5]),
                (170, 180, [0, 1, 2, 3]), (-180, -170, [2, 3, 4, 5]), (180, -180, [2, 3]),
                (-170, 170, [0, 5, 6, 7, 8]), (-180, 180, Array(0...8)), (0, 360, Array(0...8)),
            ] as [(Double, Double, [Int])] {
                try await subject.expectFound(
                    expected.map { ids[$0] },
                    "between the meridians \(west) and \(east)"
                ) { filter in
                    filter.box = BoundingBox(west: west, south: -10, east: east, north: 10)
                }
            }
        },
        ConformanceCase(.search, "finds events in a box at a pole") { subject in
            let ids = try subject.store(
                [
                    (90, 45), (89.5, 45), (89.5, -45), (89, 90), (88.99, 45), (-90, 45), (-89, 45),
                    (-89, -135), (-88.99, 45),
                ].map { Coordinate(latitude: $0.0, longitude: $0.1) }
            )

            for (west, south, east, north, expected) in [
                (0, 89, 90, 90, [0, 1, 3]), (-180, 89, 180, 90, [0, 1, 2, 3]),
                (0, -90, 90, -89, [5, 6]), (-180, -90, 180, -89, [5, 6, 7]),
                (-180, 89.5, 180, 89.9, [1, 2]), (0, -90, 90, 90, [0, 1, 3, 4, 5, 6, 8]),
            ] as [(Double, Double, Double, Double, [Int])] {
                try await subject.expectFound(
                    expected.map { ids[$0] },
                    "between \(south), \(west) and \(north), \(east)"
                ) { filter in
                    filter.box = BoundingBox(west: west, south: south, east: east, north: north)
                }
            }
        },
        ConformanceCase(.search, "finds events exactly on the edges of a box") { subject in
            let (south, north, west, east) = (12.3456789, 12.3456791, 98.7654321, 98.7654323)
            let inside = [(south, west), (south, east), (north, west), (north, east)]
            let outside = [
                (south.nextDown, west), (north.nextUp, east), (south, west.nextDown),
                (north, east.nextUp),
            ]
            let ids = try subject.store(
                (inside + outside).map { Coordinate(latitude: $0.0, longitude: $0.1) }
            )

            try await subject.expectFound(Array(ids.prefix(4)), "in the box") { filter in
                filter.box = BoundingBox(west: west, south: south, east: east, north: north)
            }
            try await subject.expectFound(Array(ids.prefix(1)), "at the corner") { filter in
                filter.box = BoundingBox(west: west, south: south, east: west, north: south)
            }
        },
    ]

    private static let searchedPolygons: [ConformanceCase] = [
        ConformanceCase(.search, "finds events in a polygon across the antimeridian") { subject in
            try await subject.expectFound(
                inside: [(-15, 180), (-15, -180), (-15, 175), (-15, -175), (-11, 179.99)],
                outside: [(-15, 169), (-15, -169), (-15, 0), (-25, 180), (15, 180), (15, 0)],
                corners: [(-20, 170), (-20, -170), (-10, -170), (-10, 170)]
            )
        },
        ConformanceCase(.search, "finds events in a polygon around a pole") { subject in
            // Its edges are great circles, so they come as near to the pole as 67.8°.
            try await subject.expectFound(
                inside: [(90, 0), (90, 77), (80, -45), (69, 45), (61, 0), (61, 180), (61, -180)],
                outside: [(59, 0), (66, 45), (66, -135), (0, 0), (-90, 0), (-80, 45)],
                corners: [(60, 0), (60, 90), (60, 180), (60, -90)]
            )
        },
        ConformanceCase(.search, "finds no events in the notch of a polygon") { subject in
            try await subject.expectFound(
                inside: [(0.5, 1.5), (2, 0.5), (2, 2.5)],
                outside: [(2, 1.5), (2.9, 1.1), (3.5, 1.5), (-0.5, 1.5), (1, -0.5)],
                corners: [(0, 0), (0, 3), (3, 3), (3, 2), (1, 2), (1, 1), (3, 1), (3, 0)]
            )
        },
    ]

    private static let searchedCircles: [ConformanceCase] = [
        ConformanceCase(.search, "finds events exactly at a radius in every unit") { subject in
            let origin = DirectionOrigin(Coordinate(latitude: 37.771098, longitude: -122.430782))
            let point = Coordinate(latitude: 37.760322, longitude: -122.429667)
            let ids = try subject.store([point])
            let millimetres = origin.millimetres(to: point.unitVector)

            for unit in DistanceUnit.allCases {
                let radius = unit.distance(ofMillimetres: millimetres)
                for (radius, expected) in [(radius, ids), (radius.nextDown, [])] {
                    try await subject.expectFound(expected, "within \(radius) \(unit)") { filter in
                        filter.origin = origin
                        filter.radius = SearchRadius(radius, unit)
                    }
                }
            }
        },
        ConformanceCase(.search, "orders events at the same millimetre by id") { subject in
            // The first is 0.01 mm farther away than the second, which only `nearest` sees.
            let ids = try subject.store(
                [0.001_000_000_1, 0.001, 0.002].map { Coordinate(latitude: 0, longitude: $0) }
            )
            let origin = Coordinate(latitude: 0, longitude: 0)
            var filter = EventFilter()
            filter.origin = DirectionOrigin(origin)

            let query = EventQuery(filter: filter, order: .distance, limit: 1)
            try await subject.expectPages("the ids of the pages", of: query, equal: ids)
            try await subject.expectNearest([ids[1], ids[0], ids[2]], to: origin, within: 1)
        },
        ConformanceCase(.search, "finds events that meet all conditions") { subject in
            let (owner, guest) = (try await subject.user(1), try await subject.user(2))
            var ids: [Int64] = []
            for test in combinedConditions {
                var attributes = test.attributes
                attributes.name = test.violates.map { "violates \($0)" } ?? "meets all"
                let token = test.violates == .owner ? 2 : 1
                let id = try await subject.event(attributes, token: token)
                ids.append(id)
                let user = test.violates == .attendee ? owner : guest
                _ = try await subject.attendances.findOrCreate(userID: user.id, eventID: id)
            }

            for dropped in [nil] + Condition.allCases.map(Optional.some) {
                let expected = zip(ids, combinedConditions).filter { _, test in
                    test.violates == nil || test.violates == dropped
                }
                try await subject.expectFound(
                    expected.map(\.0),
                    dropped.map { "without the condition \($0)" } ?? "with all conditions"
                ) { filter in
                    filter.origin = DirectionOrigin(Coordinate(latitude: 10, longitude: 10))
                    if dropped != .radius { filter.radius = SearchRadius(100, .kilometres) }
                    if dropped != .box {
                        filter.box = BoundingBox(west: 9.2, south: 9.2, east: 10.8, north: 10.8)
                    }
                    if dropped != .polygon {
                        filter.polygon = .of([(8, 9.6), (8, 12), (12, 12), (12, 9.6)])
                    }
                    if dropped != .window {
                        filter.window = EventWindow(
                            from: Timestamp(milliseconds: 100),
                            to: Timestamp(milliseconds: 200)
                        )
                    }
                    if dropped != .owner { filter.ownerID = owner.id }
                    if dropped != .attendee { filter.attendeeID = guest.id }
                }
            }
        },
    ]

    private enum Condition: CaseIterable {
        case radius, box, polygon, window, owner, attendee
    }

    /// Events, and the only condition that each of them violates.
    private static let combinedConditions: [(violates: Condition?, attributes: EventAttributes)] = [
        (nil, .lasting(from: 150, latitude: 10, longitude: 10)),
        (.radius, .lasting(from: 150, latitude: 10.75, longitude: 10.75)),
        (.box, .lasting(from: 150, latitude: 10.85, longitude: 10)),
        (.polygon, .lasting(from: 150, latitude: 10, longitude: 9.5)),
        (.window, .lasting(from: 50, latitude: 10, longitude: 10)),
        (.owner, .lasting(from: 150, latitude: 10, longitude: 10)),
        (.attendee, .lasting(from: 150, latitude: 10, longitude: 10)),
        (nil, .lasting(from: 100, latitude: 10.7, longitude: 10)),
    ]
}

extension EventAttributes {
    /// An event of which only the start, in ms, and the place matter.
    fileprivate static func lasting(
        from start: Int64,
        latitude: Double,
        longitude: Double
    ) -> Self {
        var attributes = at(latitude, longitude)
        attributes.startedAt = Timestamp(milliseconds: start)
        return attributes
    }
}

extension SphericalPolygon {
    /// A polygon with these corners: latitude and longitude.
    fileprivate static func of(_ corners: [(Double, Double)]) -> SphericalPolygon? {
        SphericalPolygon(corners: corners.map { Coordinate(latitude: $0.0, longitude: $0.1) })
    }
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless exactly the events at the places inside are found.
    fileprivate func expectFound(
        inside: [(Double, Double)],
        outside: [(Double, Double)],
        corners: [(Double, Double)]
    ) async throws {
        let ids = try store(
            (inside + outside).map { Coordinate(latitude: $0.0, longitude: $0.1) }
        )
        let polygon = SphericalPolygon.of(corners)
        try expect("whether it is a polygon", polygon != nil, equals: true)
        try await expectFound(Array(ids.prefix(inside.count)), "in the polygon") { filter in
            filter.polygon = polygon
        }
    }
}
