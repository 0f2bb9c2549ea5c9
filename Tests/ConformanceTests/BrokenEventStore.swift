import Events
import Model
import StorageSupport
import Time

private actor FirstState {
    private var attributes: EventAttributes?

    func first(_ new: EventAttributes?) -> EventAttributes? {
        attributes = attributes ?? new
        return attributes
    }
}

/// A store of events with a bug.
struct BrokenEventStore: EventStore {
    let base: any EventStore
    let fault: StorageFault
    private let firstState = FirstState()

    init(base: any EventStore, fault: StorageFault) {
        self.base = base
        self.fault = fault
    }

    func find(_ id: Int64) async throws -> Event? {
        if fault == .forgetsFirstEvent, id == 1 { return nil }
        return try await base.find(id)
    }

    func isBlocker(_ token: TokenDigest) async throws -> Bool { try await base.isBlocker(token) }

    func representationInMemory(of id: Int64, for token: TokenDigest?) -> [UInt8]? {
        fault == .remembersEveryEvent ? Array("{}".utf8) : nil
    }

    func page(_ query: EventQuery) async throws -> EventPage {
        var query = query
        switch fault {
        case .repeatsFirstPage: query.start = nil
        case .ignoresLimit where query.order == .distance: query.limit = 1000
        case .ignoresTimes: query.filter.window = EventWindow()
        case .ignoresAttendees: query.filter.attendeeID = nil
        case .ignoresPolygons: query.filter.polygon = nil
        case .excludesStartsOfWindows:
            query.filter.window.from = query.filter.window.from.map { from in
                Timestamp(milliseconds: from.milliseconds + 1)
            }
        case .cutsBoxesAtAntimeridian:
            if let box = query.filter.box, box.west > box.east {
                query.filter.box = BoundingBox(
                    west: box.west,
                    south: box.south,
                    east: 180,
                    north: box.north
                )
            }
        default: break
        }
        var page = try await base.page(query)
        switch fault {
        case .countsRowsOfPage:
            page.count = page.count.map { _ in EventCount(page.rows.count, isExact: true) }
        case .measuresNoDirections:
            for index in page.rows.indices { page.rows[index].direction = nil }
        case .listsOneEventOnly where !query.needsEvents: page.rows = Array(page.rows.prefix(1))
        case .forgetsFirstEvent where query.order == .distance:
            page.rows.removeAll { $0.event?.id == 1 }
        case .ordersFarthestFirst where query.order == .distance: page.rows.reverse()
        case .prefersNewestEvents where query.order == .distance:
            page.rows.sort { one, other in
                let distances = [one, other].map { row in
                    row.event.flatMap { event in
                        query.filter.origin?.millimetres(to: event.attributes.coordinate.unitVector)
                    }
                }
                guard distances[0] == distances[1] else { return false }
                return one.event?.id ?? 0 > other.event?.id ?? 0
            }
        case .skipsEventAfterPage:
            if query.start != nil { page.rows = Array(page.rows.dropFirst()) }
        case .continuesAfterLastPage:
            page.next = page.next ?? EventPosition(key: .max, id: .max)
        case .datesPagesWrong:
            for index in page.rows.indices {
                guard case .event(let found) = page.rows[index].content else { continue }
                let event = DatedEvent(
                    found.event,
                    createdAt: found.createdAt,
                    updatedAt: .latest
                )
                page.rows[index].content = .event(event)
            }
        default: break
        }
        return page
    }

    func clusters(_ query: ClusterQuery) async throws -> [EventCluster] {
        let clusters = try await base.clusters(query)
        return switch fault {
        case .omitsSmallestCluster: clusters.dropLast()
        case .misplacesClusters:
            clusters.map { cluster in
                EventCluster(
                    count: cluster.count,
                    latitude: cluster.latitude,
                    longitude: (cluster.longitude * 1e4).rounded() / 1e4,
                    event: cluster.event
                )
            }
        default: clusters
        }
    }

    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent? {
        var viewer = viewer
        if fault == .showsPrivateEvents, let event = try await base.find(id) {
            viewer = event.ownerID
        }
        guard let found = try await base.findDated(id, for: viewer) else { return nil }
        return switch fault {
        case .forgetsDates:
            DatedEvent(found.event, createdAt: .earliest, updatedAt: .earliest)
        case .forgetsUpdates:
            DatedEvent(found.event, createdAt: found.createdAt, updatedAt: found.createdAt)
        default: found
        }
    }

    func representation(of id: Int64, for token: TokenDigest?) async throws -> [UInt8]? {
        try await find(fault == .representsFirstEventOnly ? 1 : id)
            .map(EventRepresentation.text.event)
    }

    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64? {
        var attributes = attributes
        switch fault {
        case .cutsNames: attributes.name = String(attributes.name.prefix(254))
        case .unescapesNames: attributes.name.replace("\\'", with: "'")
        default: break
        }
        return try await base.create(attributes, token: token)
    }

    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>?,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        let first = await firstState.first(try await base.find(id)?.attributes)
        try await base.update(
            id,
            ownerID: try await owner(ownerID, of: id),
            if: fault == .ignoresPreconditions ? nil : precondition
        ) { attributes in
            try change(fault == .updatesWhatItSawFirst ? first ?? attributes : attributes)
        }
    }

    func delete(_ id: Int64, ownerID: Int64, if precondition: Precondition<Event>?) async throws {
        if fault == .ignoresRepeatedDeletion, try await base.find(id) == nil { return }
        try await base.delete(
            id,
            ownerID: try await owner(ownerID, of: id),
            if: fault == .ignoresPreconditions ? nil : precondition
        )
    }

    private func owner(_ id: Int64, of event: Int64) async throws -> Int64 {
        guard fault == .ignoresOwners else { return id }
        return try await base.find(event)?.ownerID ?? id
    }
}

extension FoundEvent {
    fileprivate var event: Event? {
        if case .event(let dated) = content { dated.event } else { nil }
    }
}
