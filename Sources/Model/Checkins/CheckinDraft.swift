package import Rules
import Time

/// The values that a client sent for a check-in, before invalid ones are dropped.
package struct CheckinDraft: Equatable, Sendable {
    package var name: Input
    package var category: Input
    package var rating: Input
    package var latitude: Input
    package var longitude: Input
    package var userName: Input
    package var localTime: Input

    package init(
        name: Input = .absent,
        category: Input = .absent,
        rating: Input = .absent,
        latitude: Input = .absent,
        longitude: Input = .absent,
        userName: Input = .absent,
        localTime: Input = .absent
    ) {
        self.name = name
        self.category = category
        self.rating = rating
        self.latitude = latitude
        self.longitude = longitude
        self.userName = userName
        self.localTime = localTime
    }

    /// The check-in without its invalid fields; its time is now if none was given.
    package var checkin: Checkin {
        Checkin(
            name: Checkin.text(name),
            category: Checkin.text(category),
            rating: Checkin.number(rating),
            latitude: Checkin.number(latitude, in: -90...90),
            longitude: Checkin.number(longitude, in: -180...180),
            userName: Checkin.text(userName),
            localTime: Checkin.text(localTime).flatMap(WallClock.time) ?? .now()
        )
    }
}
