import Events
import Model
import Rules

extension ConformanceCases {
    static let privateEvents: [ConformanceCase] = [
        ConformanceCase(.events, "shows a private event to its owner and guests only") { subject in
            let party = try await Party(subject)
            let id = party.event

            for (viewer, isVisible) in party.viewers {
                let found = try await subject.events.findDated(id, for: viewer)
                try expect("event for \(viewer ?? 0)", found != nil, equals: isVisible)
                let attendances = try await subject.attendances.all(ofEvent: id, for: viewer)
                try expect("guests for \(viewer ?? 0)", attendances != nil, equals: isVisible)
            }
            let event = try await subject.find(id)
            try expect("whether it is private", event?.attributes.isPrivate, equals: true)
            var query = EventQuery(
                filter: EventFilter(),
                order: .id(isDescending: false),
                limit: 10
            )
            query.counts = true
            query.filter.ownerID = party.owner
            let page = try await subject.page(query)
            try expect("events that others find", page.events.map(\.id), equals: [])
            try expect("their count", page.count, equals: EventCount(0, isExact: true))
            query.filter.viewer.userID = party.owner
            let own = try await subject.page(query)
            try expect("events that the owner finds", own.events.map(\.id), equals: [id])
            query.filter.ownerID = nil
            query.filter.attendeeID = party.guest
            query.filter.viewer.userID = party.guest
            let attended = try await subject.page(query)
            try expect("events that the guest finds", attended.events.map(\.id), equals: [id])
        },
        ConformanceCase(.events, "lets only the owner change a private event") { subject in
            let party = try await Party(subject)

            for (user, error) in [
                (party.guest, ModelError.forbidden), (party.stranger, .notFound),
            ] {
                try await expect("the change of user \(user)", throws: error) {
                    try await subject.events.update(party.event, ownerID: user, if: nil) { $0 }
                }
                try await expect("the deletion of user \(user)", throws: error) {
                    try await subject.events.delete(party.event, ownerID: user, if: nil)
                }
                try await expect("the code of user \(user)", throws: error) {
                    try await subject.invitations.add(
                        TokenDigest(8),
                        toEvent: party.event,
                        ownerID: user,
                        replaces: true
                    )
                }
                try await expect("the end of codes by user \(user)", throws: error) {
                    try await subject.invitations.closeAll(ofEvent: party.event, ownerID: user)
                }
            }
        },
        ConformanceCase(.attendances, "lets strangers join a private event by code") { subject in
            let party = try await Party(subject)
            let (event, stranger) = (party.event, party.stranger)
            try await subject.invitations.add(
                TokenDigest(8),
                toEvent: event,
                ownerID: party.owner,
                replaces: false
            )

            try await expect("attending without a code", throws: ModelError.notFound) {
                _ = try await subject.attendances.findOrCreate(userID: stranger, eventID: event)
            }
            for (code, id) in [(TokenDigest(9), nil), (TokenDigest(8), event + 1)] {
                try await expect("joining with a wrong code", throws: ModelError.notFound) {
                    _ = try await subject.invitations.join(code, eventID: id, userID: stranger)
                }
            }
            let joined = await simultaneously(16) { _ in
                try await subject.invitations.join(
                    TokenDigest(8),
                    eventID: event,
                    userID: stranger
                )
            }
            let attendances = Set(try joined.map { try $0.get().id })
            try expect("the number of attendances", attendances.count, equals: 1)
            let known = try await subject.attendances.findOrCreate(
                userID: stranger,
                eventID: event
            )
            try expect("the same attendance", attendances, equals: [known.id])
            try await expect("removing it as a guest", throws: ModelError.notFound) {
                try await subject.attendances.delete(known.id, userID: party.guest, if: nil)
            }
            try await subject.attendances.delete(known.id, userID: party.owner, if: nil)
            let found = try await subject.events.findDated(event, for: stranger)
            try expect("the event for the removed guest", found, equals: nil)
        },
        ConformanceCase(.events, "keeps, replaces and closes codes") { subject in
            let party = try await Party(subject)
            func add(_ code: Int, replaces: Bool = false) async throws {
                try await subject.invitations.add(
                    TokenDigest(code),
                    toEvent: party.event,
                    ownerID: party.owner,
                    replaces: replaces
                )
            }
            func isOpen(_ code: Int) async -> Bool {
                let joined = try? await subject.invitations.join(
                    TokenDigest(code),
                    eventID: nil,
                    userID: party.stranger
                )
                return joined != nil
            }
            for code in 0..<ModelError.mostInvitations { try await add(code + 10) }
            try await expect("one more code", throws: ModelError.tooManyInvitations) {
                try await add(200)
            }
            try await expect("the first code", isOpen(10), equals: true)
            try await expect("the code that was one too many", isOpen(200), equals: false)
            try await add(201, replaces: true)
            try await expect("a replaced code", isOpen(11), equals: false)
            try await expect("the new code", isOpen(201), equals: true)
            try await subject.invitations.closeAll(ofEvent: party.event, ownerID: party.owner)
            try await expect("a closed code", isOpen(201), equals: false)
            try await add(202)
            try await subject.events.delete(party.event, ownerID: party.owner, if: nil)
            try await expect("the code of a deleted event", isOpen(202), equals: false)
        },
    ]
}

/// A private event with an owner, a guest, and a user who knows nothing of it.
private struct Party {
    let owner: Int64
    let guest: Int64
    let stranger: Int64
    let event: Int64

    init(_ subject: ConformanceSubject) async throws {
        owner = try await subject.user(1).id
        guest = try await subject.user(2).id
        stranger = try await subject.user(3).id
        event = try await subject.event(.picnic)
        _ = try await subject.attendances.findOrCreate(userID: guest, eventID: event)
        try await subject.events.update(event, ownerID: owner, if: nil) { attributes in
            var changed = attributes
            changed[.visibility] = "private"
            return changed
        }
    }

    /// Each viewer, and whether it can see the event.
    var viewers: [(viewer: Int64?, isVisible: Bool)] {
        [(owner, true), (guest, true), (stranger, false), (nil, false), (0, false)]
    }
}
