import Model
import Time

extension ConformanceCases {
    static let checkins: [ConformanceCase] = [
        ConformanceCase(.checkins, "stores every field of a check-in") { subject in
            let checkins = [Checkin.full, Checkin(localTime: Timestamp(milliseconds: -1))]

            for checkin in checkins { try await subject.checkins.add(checkin) }

            try await expect(
                "the check-ins",
                subject.checkins.newest(limit: 10).map(\.checkin),
                equals: checkins
            )
        },
        ConformanceCase(.checkins, "lists the newest check-ins, the oldest first") { subject in
            try await expect("the check-ins", subject.checkins.newest(limit: 9), equals: [])
            // The order is that of arrival, not of the clocks.
            for name in ["e", "d", "c", "b", "a"] {
                try await subject.checkins.add(.named(name))
            }

            for (limit, names) in [
                (0, []), (1, ["a"]), (3, ["c", "b", "a"]), (5, ["e", "d", "c", "b", "a"]),
                (1000, ["e", "d", "c", "b", "a"]),
            ] {
                let newest = try await subject.checkins.newest(limit: limit)
                try expect(
                    "the newest \(limit) check-ins",
                    newest.compactMap(\.checkin.name),
                    equals: names
                )
                let ids = newest.compactMap(\.id)
                try expect("their ids", ids, equals: ids.sorted())
            }
        },
        ConformanceCase(.checkins, "lists nothing for an impossible limit") { subject in
            try await subject.checkins.add(.full)

            for limit in [0, -1, Int.min] {
                try await expect(
                    "the newest \(limit) check-ins",
                    subject.checkins.newest(limit: limit),
                    equals: []
                )
                try await expect(
                    "at most \(limit) categories",
                    subject.checkins.categories(limit: limit),
                    equals: []
                )
            }
        },
        ConformanceCase(.checkins, "lists each category once, by code points") { subject in
            try await expect("the categories", subject.checkins.categories(limit: 9), equals: [])
            // The order of UTF-16 units would exchange the last two, and languages others.
            let sorted = ["", "Zoo", "bar", "barn", "cafe", "zoo", "éclair", "\u{FF61}", "🧺"]
            for category in sorted.reversed() + ["bar", nil, "zoo"] {
                try await subject.checkins.add(.named("a", category: category))
            }

            for limit in [0, 1, 4, 9, 1000] {
                try await expect(
                    "at most \(limit) categories",
                    subject.checkins.categories(limit: limit),
                    equals: Array(sorted.prefix(limit))
                )
            }
        },
    ]
}

extension Checkin {
    /// A check-in with a value in every field.
    static let full = Checkin(
        name: "Café 🧺",
        category: "Café",
        rating: -4.5e-300,
        latitude: -90,
        longitude: 180,
        userName: "Ana 'n' Luis",
        localTime: .latest
    )

    /// A check-in of which only the name matters, and perhaps the category.
    static func named(_ name: String, category: String? = nil) -> Checkin {
        Checkin(name: name, category: category, localTime: Timestamp(milliseconds: 0))
    }
}
