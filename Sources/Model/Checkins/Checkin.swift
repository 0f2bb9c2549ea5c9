package import Time

/// A report of a visit to a place; every field can be missing.
package struct Checkin: Equatable, Sendable {
    package var name: String?
    package var category: String?
    package var rating: Double?
    /// In degrees.
    package var latitude: Double?
    package var longitude: Double?
    package var userName: String?
    /// The user's local time.
    package var localTime: Timestamp

    package init(
        name: String? = nil,
        category: String? = nil,
        rating: Double? = nil,
        latitude: Double? = nil,
        longitude: Double? = nil,
        userName: String? = nil,
        localTime: Timestamp
    ) {
        self.name = name
        self.category = category
        self.rating = rating
        self.latitude = latitude
        self.longitude = longitude
        self.userName = userName
        self.localTime = localTime
    }

    /// The maximum length of a text, in characters.
    ///
    /// Longer texts are cut, because rejecting a check-in would lose it.
    private static let maximumText = 255

    /// Returns the text of an input, or nil if it has no valid text.
    package static func text(_ input: Input) -> String? {
        guard let text = input.spelling, !text.utf8.contains(0) else { return nil }
        guard text.unicodeScalars.count > maximumText else { return text }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: text.unicodeScalars.prefix(maximumText))
        return String(cut)
    }

    /// Returns the number of an input, or nil if it is not a number or not in `range`.
    package static func number(_ input: Input, in range: ClosedRange<Double>? = nil) -> Double? {
        guard let text = input.spelling, let number = Double(decimal: text) else { return nil }
        return range?.contains(number) == false ? nil : number
    }
}

/// A check-in that is stored.
package struct StoredCheckin: Equatable, Sendable {
    package let id: Int64
    package let checkin: Checkin

    package init(id: Int64, checkin: Checkin) {
        self.id = id
        self.checkin = checkin
    }
}
