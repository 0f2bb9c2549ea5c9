import Events
import Model
import Time

extension ConformanceCases {
    static let searchedWindows: [ConformanceCase] = [
        ConformanceCase(.search, "includes the start of a window but not its end") { subject in
            let times: [(start: Int64, end: Int64?)] = [
                (99, nil), (100, nil), (199, nil), (200, nil), (50, 100), (50, 101), (50, 300),
                (50, 40), (150, 20), (250, 300),
            ]
            let ids = try subject.storeEvents(times.map { .lasting(from: $0.start, to: $0.end) })
            let (from, to) = (Timestamp(milliseconds: 100), Timestamp(milliseconds: 200))

            for (window, expected) in [
                (EventWindow(), Array(0..<10)),
                (EventWindow(from: from, to: to), [1, 2, 5, 6, 8]),
                (EventWindow(from: from, to: to, includesOngoing: false), [1, 2, 8]),
                (EventWindow(from: from), [1, 2, 3, 5, 6, 8, 9]),
                (EventWindow(from: from, includesOngoing: false), [1, 2, 3, 8, 9]),
                (EventWindow(to: to), [0, 1, 2, 4, 5, 6, 7, 8]),
            ] {
                try await subject.expectFound(expected.map { ids[$0] }, "in \(window)") { filter in
                    filter.window = window
                }
            }
        },
        ConformanceCase(.search, "finds events without an end for some hours") { subject in
            let hour: Int64 = 3_600_000
            let from = 100 * hour
            // Those of `closed` end at their start.
            let closed: [Int64] = [1, hour, 3 * hour]
            let open = [0, 1, hour, 3 * hour - 1, 3 * hour, 24 * hour - 1, 24 * hour]
            let ids = try subject.storeEvents(
                closed.map { .lasting(from: from - $0, to: from - $0) }
                    + open.map { .lasting(from: from - $0) }
            )
            for (hours, count) in [(0, 1), (1, 2), (3, 4), (24, 6)] {
                try await subject.expectFound(
                    Array(ids[3...].prefix(count)),
                    "with open ends after \(hours) hours"
                ) { filter in
                    filter.window = EventWindow(
                        from: Timestamp(milliseconds: from),
                        to: Timestamp(milliseconds: from + 1),
                        openEndHours: hours
                    )
                }
                try await subject.expectFound([ids[3]], "that begin in the window") { filter in
                    filter.window = EventWindow(
                        from: Timestamp(milliseconds: from),
                        includesOngoing: false,
                        openEndHours: hours
                    )
                }
            }
        },
        ConformanceCase(.search, "finds ongoing events of every length") { subject in
            let from = Timestamp(milliseconds: 1000)
            // A storage may group events by the power of two of their hours.
            let lengths = (0...22).flatMap { power -> [Int64] in
                let hours = Int64(1) << power * 3_600_000
                return [hours - 1, hours, hours + 1]
            }
            let events = lengths.flatMap { length -> [EventAttributes] in
                [1000, 1001].map { .lasting(from: $0 - length, to: $0) }
            }
            let ids = try subject.storeEvents(
                events + [
                    EventAttributes.lasting(from: Timestamp.earliest.milliseconds, to: 1001)
                ]
            )
            let lasting = ids.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)

            // All have ended at the start of the window, or a millisecond later.
            try await subject.expectFound(
                (lasting + ids.suffix(1)).sorted(),
                "that last into the window"
            ) { filter in
                filter.window = EventWindow(from: from, to: Timestamp(milliseconds: 1001))
            }
            try await subject.expectFound([], "that begin in the window") { filter in
                filter.window = EventWindow(from: from, includesOngoing: false)
            }
            try await subject.expectFound([], "after all have ended") { filter in
                filter.window = EventWindow(from: Timestamp(milliseconds: 1001))
            }
        },
        ConformanceCase(.search, "finds an event only in the window it was moved to") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.lasting(from: 100, to: 200))
            let hour: Int64 = 3_600_000
            for (start, end) in [(300, 400), (-hour, 50 * hour), (500, nil)] as [(Int64, Int64?)] {
                try await subject.events.update(id, ownerID: owner.id) { _ in
                    .lasting(from: start, to: end)
                }

                let last = max(start, (end ?? start) - 1)
                for (from, to, ids) in [
                    (start - 1, start, []), (start, start + 1, [id]), (last, last + 1, [id]),
                    (last + 1, last + 2, []),
                ] as [(Int64, Int64, [Int64])] {
                    // Without an end, an event is at its start alone.
                    try await subject.expectFound(
                        ids,
                        "from \(from) to \(to), after the move to \(start)"
                    ) { filter in
                        filter.window = EventWindow(
                            from: Timestamp(milliseconds: from),
                            to: Timestamp(milliseconds: to)
                        )
                    }
                }
            }
        },
    ]
}

extension EventAttributes {
    /// An event of which only the times matter, in ms.
    static func lasting(from start: Int64, to end: Int64? = nil) -> Self {
        var attributes = at(0, 0)
        attributes.startedAt = Timestamp(milliseconds: start)
        attributes.endedAt = end.map(Timestamp.init(milliseconds:))
        return attributes
    }
}
