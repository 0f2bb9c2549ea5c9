import Events
import Model
import Rules

extension ConformanceCases {
    static let adminSearches: [ConformanceCase] = [
        ConformanceCase(.moderation, "finds hidden and private events for admins") { subject in
            _ = try await subject.user(1)
            let open = try await subject.event(.picnic)
            let hidden = try await subject.event(.picnic)
            let secret = try await subject.event(.picnic)
            try await subject.events.update(secret, ownerID: 1, if: nil) { attributes in
                var changed = attributes
                changed[.visibility] = "private"
                return changed
            }
            try await subject.moderation.perform(.hide, .event(hidden), by: "cli:ana")

            for (isHidden, ids) in [
                (nil, [open, hidden, secret]), (true, [hidden]), (false, [open, secret]),
            ] as [(Bool?, [Int64])] {
                var filter = EventFilter()
                (filter.isHidden, filter.viewer) = (isHidden, .admin)
                var query = EventQuery(filter: filter, order: .id(isDescending: false), limit: 10)
                query.counts = true
                let found = try await subject.page(query)
                try expect("what an admin finds", found.ids, equals: ids)
                let count = EventCount(ids.count, isExact: true)
                try expect("their number", found.count, equals: count)
                query.filter.viewer = EventViewer(seesHidden: true)
                let others = try await subject.page(query)
                let seen = isHidden == true ? [] : [open]
                try expect("what others find", others.ids, equals: seen)
            }
        },
        ConformanceCase(.moderation, "counts the reports and attendances of events") { subject in
            _ = try await subject.user(1)
            var events: [Int64] = []
            for _ in 1...4 { events.append(try await subject.event(.picnic)) }
            let moderation = subject.moderation
            func report(_ record: ReportedRecord, by token: Int) async throws {
                _ = try await moderation.report(
                    record,
                    Complaint(reason: "wrong", note: nil),
                    by: TokenDigest(token)
                )
            }
            for token in [2, 3] {
                let user = try await subject.user(token).id
                for event in events.prefix(2) { try await report(.event(event), by: token) }
                _ = try await subject.attendances.findOrCreate(userID: user, eventID: events[0])
            }
            try await report(.event(events[2]), by: 2)
            // A user with the id of an event.
            try await report(.user(1), by: 2)
            _ = try await moderation.resolve(.event(events[1]), .dismiss, by: "cli:ana")

            let counts = try await moderation.openReportCounts(ofEvents: events + [99])
            try expect("the open reports", counts, equals: [events[0]: 2, events[2]: 1])
            try await expect(
                "the open reports of one event",
                moderation.openReportCounts(ofEvents: [events[2]]),
                equals: [events[2]: 1]
            )
            let none = try await moderation.openReportCounts(ofEvents: [])
            try expect("the open reports of no event", none, equals: [:])
            for (limit, ids) in [(10, [events[0], events[2]]), (1, [events[2]])] {
                let reported = try await moderation.reportedEvents(limit: limit)
                try expect("at most \(limit) reported events", reported, equals: ids)
            }
            for (event, limit, count) in [
                (events[0], 10, 2), (events[0], 1, 1), (events[1], 10, 0),
            ] as [(Int64, Int, Int64)] {
                try await expect(
                    "the attendances of \(event)",
                    moderation.attendanceCount(ofEvent: event, limit: limit),
                    equals: count
                )
            }
        },
    ]
}
