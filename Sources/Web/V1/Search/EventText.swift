import Bytes
import Model
import Time

/// The text of an event's values for people to read.
enum EventText {
    /// Returns the local time with its offset, such as `2026-06-01 18:00Z`.
    ///
    /// The seconds of historical offsets are left out.
    static func time(_ time: Timestamp, _ presentation: EventPresentation) -> String {
        let seconds = presentation.isUTC ? 0 : presentation.offset(time)
        // Real offsets are less than 16 hours.
        guard seconds != 0, (-86_400...86_400).contains(seconds) else {
            return date(of: time) + " " + minute(of: time) + "Z"
        }
        let local = Timestamp(milliseconds: time.milliseconds &+ Int64(seconds) * 1000)
        let minutes = UInt64(seconds.magnitude / 60)
        return date(of: local) + " " + minute(of: local) + (seconds < 0 ? "-" : "+")
            + digits(minutes / 60, 2) + ":" + digits(minutes % 60, 2)
    }

    /// Returns the distance rounded to a metre or a thousandth of a mile, such as `0.212 km`.
    static func distance(_ direction: Direction, _ unit: DistanceUnit) -> String {
        // At most half the globe, 2.1e10 mm.
        let millimetres = min(direction.millimetres.magnitude, 1 << 40)
        let metres = (millimetres + 500) / 1000
        let number =
            switch unit {
            case .metres: String(metres)
            case .kilometres: decimal(metres, places: 3)
            case .miles:
                decimal((millimetres * 2000 + 1_609_344) / (2 * 1_609_344), places: 3)
            }
        return number + " " + unit.rawValue
    }

    /// Returns the nearest of the eight compass points, or nil if the distance is 0.
    static func compassPoint(_ direction: Direction) -> String? {
        guard let tenths = direction.bearingTenths else { return nil }
        let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        let index = (min(max(tenths, 0), 3599) + 225) / 450 % points.count
        return points[index]
    }

    /// Returns the event's address, or its position if the address has no visible character.
    ///
    /// Calendars drop control characters, so an address with only these would be empty.
    static func place(of row: EventRow) -> String {
        if let address = row.address, address.unicodeScalars.contains(where: isVisible) {
            return address
        }
        let coordinate = row.attributes.coordinate
        return sixDecimals(coordinate.latitude) + ", " + sixDecimals(coordinate.longitude)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Almost every text begins with a letter or a digit. Unicode's tables are slower.
        (0x21...0x7E).contains(scalar.value)
            || !scalar.isControl && !scalar.properties.isWhitespace
    }

    /// Returns degrees with six decimals (0.1 m), like `%.6f` of printf(3).
    ///
    /// The exact value is rounded. Rounding the product alone would round twice.
    static func sixDecimals(_ degrees: Double) -> String {
        let magnitude = degrees.magnitude
        guard magnitude <= 360 else { return "0.000000" }
        let product = magnitude * 1e6
        let error = (-product).addingProduct(magnitude, 1e6)
        let floor = product.rounded(.down)
        let fraction = product - floor
        let isOdd = floor.truncatingRemainder(dividingBy: 2) == 1
        let isUp = fraction == 0.5 ? error > 0 || (error == 0 && isOdd) : fraction > 0.5
        let number = UInt64(floor) + (isUp ? 1 : 0)
        let sign = degrees.sign == .minus ? "-" : ""
        return sign + decimal(number, places: 6)
    }

    /// Returns the date of a time in UTC, which may be a day outside of the years 0000 to 9999.
    private static func date(of time: Timestamp) -> String {
        if time < .earliest { return "-0001-12-31" }
        return time > .latest ? "10000-01-01" : String(time.text.prefix(10))
    }

    /// Returns the time of day in UTC, to the minute.
    private static func minute(of time: Timestamp) -> String {
        let rest = time.milliseconds % Timestamp.millisecondsPerDay
        let minutes = (rest < 0 ? rest + Timestamp.millisecondsPerDay : rest).magnitude / 60_000
        return digits(minutes / 60, 2) + ":" + digits(minutes % 60, 2)
    }

    /// Returns a decimal with this number of places; `number` counts units of the last place.
    private static func decimal(_ number: UInt64, places: Int) -> String {
        let digits = digits(number, places + 1)
        return String(digits.dropLast(places)) + "." + String(digits.suffix(places))
    }

    /// Returns a number padded with zeros to at least `width` digits.
    private static func digits(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
