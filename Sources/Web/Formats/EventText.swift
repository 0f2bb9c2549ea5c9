import Bytes
import Events
import JSON
import Time

/// The text of an event's values for people to read.
enum EventText {
    /// Returns the title of the events that match a filter.
    static func title(of filter: EventFilter) -> String {
        guard let place = filter.origin?.coordinate else { return "Events" }
        let numbers = [place.latitude, place.longitude].map { number in
            var writer = JSONWriter(capacity: 24)
            writer.value(number)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        return "Events near \(numbers.joined(separator: ", "))"
    }

    /// Returns the nearest of the eight compass points, or nil if the distance is 0.
    static func compassPoint(_ direction: Direction) -> String? {
        guard let tenths = direction.bearingTenths else { return nil }
        let index = (min(max(tenths, 0), 3599) + 225) / 450 % compassPoints.count
        return compassPoints[index]
    }

    private static let compassPoints = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]

    /// Returns the event's address; nil if it has no visible character.
    ///
    /// Calendars drop control characters, so an address with only these would be empty.
    static func visibleAddress(of row: EventRow) -> String? {
        guard let address = row.address, address.unicodeScalars.contains(where: isVisible) else {
            return nil
        }
        return address
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Almost every text begins with a letter or a digit. Unicode's tables are slower.
        (0x21...0x7E).contains(scalar.value)
            || !scalar.isControl && !scalar.properties.isWhitespace
    }
}

extension [UInt8] {
    /// Appends the start or end of an event: its local time, or for an all-day event its date.
    mutating func append(
        _ time: Timestamp,
        of attributes: EventAttributes,
        _ presentation: EventPresentation
    ) {
        guard attributes.isAllDay else { return append(localTime: time, presentation) }
        append(copying: time.textBytes.span.extracting(first: 10))
    }

    /// Appends the local time with its offset, such as `2026-06-01 18:00Z`.
    ///
    /// The seconds of historical offsets are left out.
    mutating func append(localTime time: Timestamp, _ presentation: EventPresentation) {
        let seconds = presentation.isUTC ? 0 : presentation.offset(time)
        // Real offsets are less than 16 hours.
        guard seconds != 0, (-86_400...86_400).contains(seconds) else {
            append(minuteOf: time)
            return append(UInt8(ascii: "Z"))
        }
        append(minuteOf: Timestamp(milliseconds: time.milliseconds &+ Int64(seconds) * 1000))
        let minutes = Int64(abs(seconds) / 60)
        append(seconds < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        append(hourAndMinute: minutes)
    }

    /// Appends the date and time in UTC to the minute.
    ///
    /// The date may be a day outside of the years 0000 to 9999.
    private mutating func append(minuteOf time: Timestamp) {
        if time < .earliest {
            append("-0001-12-31")
        } else if time > .latest {
            append("10000-01-01")
        } else {
            append(copying: time.textBytes.span.extracting(first: 10))
        }
        append(UInt8(ascii: " "))
        let rest = time.milliseconds % Timestamp.millisecondsPerDay
        append(hourAndMinute: (rest < 0 ? rest + Timestamp.millisecondsPerDay : rest) / 60_000)
    }

    private mutating func append(hourAndMinute minutes: Int64) {
        append(decimal: minutes / 60, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: minutes % 60, width: 2)
    }

    /// Appends the distance rounded to a metre or a thousandth of a mile, such as `0.212 km`.
    mutating func append(distance direction: Direction, _ unit: DistanceUnit) {
        // At most half the globe, 2.1e10 mm.
        let millimetres = Int64(Swift.min(direction.millimetres.magnitude, 1 << 40))
        let metres = (millimetres + 500) / 1000
        switch unit {
        case .metres:
            append(decimal: metres)
            append(" m")
        case .kilometres:
            append(decimal: metres / 1000)
            append(UInt8(ascii: "."))
            append(decimal: metres % 1000, width: 3)
            append(" km")
        case .miles:
            let thousandths = (millimetres * 2000 + 1_609_344) / (2 * 1_609_344)
            append(decimal: thousandths / 1000)
            append(UInt8(ascii: "."))
            append(decimal: thousandths % 1000, width: 3)
            append(" mi")
        }
    }

    /// Appends degrees with six decimals (0.1 m), like `%.6f` of printf(3).
    ///
    /// The exact value is rounded. Rounding the product alone would round twice.
    mutating func append(sixDecimals degrees: Double) {
        let magnitude = degrees.magnitude
        guard magnitude <= 360 else { return append("0.000000") }
        let product = magnitude * 1e6
        let error = (-product).addingProduct(magnitude, 1e6)
        let floor = product.rounded(.down)
        let fraction = product - floor
        let isOdd = floor.truncatingRemainder(dividingBy: 2) == 1
        let isUp = fraction == 0.5 ? error > 0 || (error == 0 && isOdd) : fraction > 0.5
        let number = Int64(floor) + (isUp ? 1 : 0)
        if degrees.sign == .minus { append(UInt8(ascii: "-")) }
        append(decimal: number / 1_000_000)
        append(UInt8(ascii: "."))
        append(decimal: number % 1_000_000, width: 6)
    }
}
