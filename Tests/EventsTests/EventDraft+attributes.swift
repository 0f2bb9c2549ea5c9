import Events
import Rules

/// The attributes of a draft by their names.
extension EventDraft {
    init(
        name: Input = .absent,
        address: Input = .absent,
        latitude: Input = .absent,
        longitude: Input = .absent,
        startedAt: Input = .absent,
        endedAt: Input = .absent
    ) {
        self.init()
        self[.name] = name
        self[.address] = address
        self[.latitude] = latitude
        self[.longitude] = longitude
        self[.startedAt] = startedAt
        self[.endedAt] = endedAt
    }
}
