package import Time

/// Somebody says to have been somewhere; every field may be missing.
package struct Checkin: Equatable, Sendable {
    package var name: String?
    package var category: String?
    package var rating: Double?
    /// Degrees.
    package var latitude: Double?
    package var longitude: Double?
    package var userName: String?
    /// What the clock on the wall showed.
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

    /// The most characters of a text; what is longer is cut, because to refuse a check-in is to
    /// lose it.
    private static let maximumText = 255

    /// The text of an input; nil if there is none in it.
    package static func text(_ input: Input) -> String? {
        guard let text = input.spelling, !text.utf8.contains(0) else { return nil }
        guard text.unicodeScalars.count > maximumText else { return text }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: text.unicodeScalars.prefix(maximumText))
        return String(cut)
    }

    /// The number of an input; nil if there is none in it, or it is not in `range`.
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
