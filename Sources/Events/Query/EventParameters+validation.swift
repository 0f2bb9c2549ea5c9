package import Rules
import Time

extension EventParameters {
    /// The maximum number of sentences in a response.
    package static let maximumErrors = 10

    /// Validates the parameters that a client sent.
    ///
    /// - Parameters:
    ///   - values: The values, none of which is blank.
    ///   - unknown: The unknown names.
    ///   - context: The values that the validation depends on.
    /// - Throws: `ModelError.invalid` with one sentence for each invalid parameter, in the order of
    ///   the names, and one for each unknown name.
    package init(
        _ values: EventParameterValues,
        unknown: [String],
        _ context: EventParameterContext
    ) throws(ModelError) {
        self.init()
        var reader = EventParameterReader(values)
        reader.readPlace(into: &self)
        reader.readTime(into: &self, context)
        reader.readTerms(into: &self, context)
        reader.readPeople(into: &self, context)
        reader.readModeration(into: &self)
        reader.readOrder(into: &self)
        reader.readPage(into: &self, context)
        for name in unknown {
            reader.report("Unknown", "parameter: \(String(name.unicodeScalars.prefix(40)))")
        }
        guard reader.errors.isEmpty else {
            throw .invalid(Array(reader.errors.prefix(Self.maximumErrors)))
        }
    }

    /// Validates the parameters of a query for clusters: a filter with a box, and a zoom level.
    ///
    /// Throws as the other initializer does.
    package static func clusters(
        _ values: EventParameterValues,
        unknown: [String],
        _ context: EventParameterContext
    ) throws(ModelError) -> (parameters: EventParameters, zoom: Int) {
        var parameters = EventParameters()
        var reader = EventParameterReader(values)
        reader.readPlace(into: &parameters, requiresBox: true)
        reader.readTime(into: &parameters, context)
        reader.readTerms(into: &parameters, context)
        reader.readPeople(into: &parameters, context)
        let zoom = reader.readZoom(for: parameters.filter.box)
        for name in unknown {
            reader.report("Unknown", "parameter: \(String(name.unicodeScalars.prefix(40)))")
        }
        guard reader.errors.isEmpty, let zoom else {
            throw .invalid(Array(reader.errors.prefix(maximumErrors)))
        }
        return (parameters, zoom)
    }
}

/// Reads parameters in their order, and collects the sentences about invalid ones.
struct EventParameterReader {
    let values: EventParameterValues
    private let hasPoint: Bool
    private(set) var errors: [AttributeError] = []

    init(_ values: EventParameterValues) {
        self.values = values
        hasPoint = values[.lat] != nil || values[.lon] != nil
    }

    mutating func report(_ attribute: String, _ predicate: String) {
        errors.append(AttributeError(attribute, predicate))
    }

    private func input(_ name: EventParameterName) -> Input {
        values[name].map(Input.text) ?? .absent
    }

    mutating func check<Value>(
        _ attribute: String,
        _ name: EventParameterName,
        _ rule: Rule<Value>
    ) -> Value? {
        guard let value = values[name] else { return nil }
        do throws(Violation) {
            return try rule.check(.text(value))
        } catch {
            report(attribute, error.predicate)
            return nil
        }
    }

    // MARK: Place

    private static let maximumCorners = 64

    mutating func readPlace(into parameters: inout EventParameters, requiresBox: Bool = false) {
        if hasPoint {
            var validation = Validation()
            let latitude = validation.required("Lat", input(.lat), .number(in: -90...90))
            let longitude = validation.required("Lon", input(.lon), .number)
            errors += validation.errors
            if let latitude, let longitude {
                let place = Coordinate.wrapping(latitude: latitude, longitude: longitude)
                parameters.filter.origin = DirectionOrigin(place)
            }
        }
        let radius = check("Radius", .radius, .number(from: 0))
        if radius != nil, !hasPoint { report("Radius", "needs lat and lon") }
        if let name = values[.units] {
            if let unit = DistanceUnit(rawValue: name) {
                parameters.unit = unit
            } else {
                report("Units", "must be one of km, m, mi")
            }
        }
        parameters.filter.radius = radius.map { SearchRadius($0, parameters.unit) }
        if let text = values[.bbox] {
            parameters.filter.box = box(text)
        } else if requiresBox {
            report("Bbox", "can't be blank")
        }
        if let text = values[.within] { parameters.filter.polygon = polygon(text) }
    }

    /// Returns the numbers of a list; nil if one is not a number or there are more than `maximum`.
    private func numbers(_ text: String, maximum: Int) -> [Double]? {
        var numbers: [Double] = []
        // Characters would be grouped by the rules of Unicode, which takes most of the time.
        let parts = text.utf8.split(
            separator: UInt8(ascii: ","),
            maxSplits: maximum,
            omittingEmptySubsequences: false
        )
        for part in parts {
            guard numbers.count < maximum, let number = Double(decimal: String(Substring(part)))
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private mutating func box(_ text: String) -> BoundingBox? {
        guard let edges = numbers(text, maximum: 4), edges.count == 4 else {
            report("Bbox", "must be four numbers: west,south,east,north")
            return nil
        }
        let (west, south, east, north) = (edges[0], edges[1], edges[2], edges[3])
        guard abs(south) <= 90, abs(north) <= 90 else {
            report("Bbox", "has a latitude outside -90 to 90")
            return nil
        }
        guard south <= north else {
            report("Bbox", "has south above north")
            return nil
        }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }

    private mutating func polygon(_ text: String) -> SphericalPolygon? {
        // One more, because the last point may repeat the first.
        var numbers = numbers(text, maximum: 2 * (Self.maximumCorners + 1)) ?? []
        if numbers.count >= 4, numbers[0] == numbers[numbers.count - 2],
            numbers[1] == numbers[numbers.count - 1]
        {
            numbers.removeLast(2)
        }
        guard numbers.count.isMultiple(of: 2), (3...Self.maximumCorners).contains(numbers.count / 2)
        else {
            report("Within", "must be 3 to 64 points: lon,lat,lon,lat,…")
            return nil
        }
        let corners = stride(from: 0, to: numbers.count, by: 2).map { index in
            Coordinate.wrapping(latitude: numbers[index + 1], longitude: numbers[index])
        }
        guard corners.allSatisfy({ abs($0.latitude) <= 90 }) else {
            report("Within", "has a latitude outside -90 to 90")
            return nil
        }
        guard let polygon = SphericalPolygon(corners: corners) else {
            report("Within", "is too wide")
            return nil
        }
        return polygon
    }

    // MARK: Time

    mutating func readTime(
        into parameters: inout EventParameters,
        _ context: EventParameterContext
    ) {
        let name = values[.tz]
        let zone = name.map { context.zones.zone(named: $0) } ?? .utc
        parameters.zone = zone ?? .utc
        let from = time("From", .from, parameters.zone, context)
        let to = time("To", .to, parameters.zone, context)
        if let from, let to, to <= from { report("To", "must be after from") }
        var window = EventWindow(from: from, to: to)
        if let words = values[.when] {
            if let named = EventWindow(words: words, now: context.now, zone: parameters.zone) {
                window = named
                if values[.from] != nil || values[.to] != nil {
                    report("When", "can't be combined with from and to")
                }
            } else {
                report(
                    "When",
                    """
                    must be one of now, upcoming, today, tomorrow, weekend, week, next-week, \
                    month, next-month, a date, a month
                    """
                )
            }
        }
        if zone == nil { report("Tz", "is unknown") }
        if let includesOngoing = check("Ongoing", .ongoing, .boolean) {
            window.includesOngoing = includesOngoing
        }
        if window.from != nil { window.openEndHours = context.openEndHours }
        parameters.filter.window = window
    }

    private mutating func time(
        _ attribute: String,
        _ name: EventParameterName,
        _ zone: TimeZone,
        _ context: EventParameterContext
    ) -> Timestamp? {
        guard let text = values[name] else { return nil }
        if text == "now" { return context.now.beginningOfMinute }
        guard let time = Timestamp(parsing: text, in: zone) else {
            errors.append(.notATime(attribute))
            return nil
        }
        return time
    }

    // MARK: People and order

    mutating func readPeople(
        into parameters: inout EventParameters,
        _ context: EventParameterContext
    ) {
        if let text = values[.owner] {
            if text == "me" {
                parameters.owner = .me
                if context.isForAdmin {
                    report("Owner", "must be an id: an admin has no own events")
                }
            } else if let id = Int64(recordID: text) {
                parameters.owner = .user(id)
            } else {
                report("Owner", "must be an id or me")
            }
        }
        if let text = values[.attendee] {
            if text == "me" {
                parameters.attendee = .me
            } else {
                report("Attendee", "must be me")
            }
        }
    }

    mutating func readModeration(into parameters: inout EventParameters) {
        if let text = values[.hidden] {
            parameters.filter.isHidden = text == "yes"
            if text != "yes", text != "no" { report("Hidden", "must be one of yes, no") }
        }
        if let text = values[.reported] {
            parameters.isReported = true
            if text != "yes" { report("Reported", "must be yes") }
        }
    }

    private static let orders: [String: EventOrder] = [
        "distance": .distance,
        "started_at": .start(isDescending: false),
        "-started_at": .start(isDescending: true),
        "id": .id(isDescending: false),
        "-id": .id(isDescending: true),
    ]

    mutating func readOrder(into parameters: inout EventParameters) {
        parameters.order = hasPoint ? .distance : .start(isDescending: false)
        guard let text = values[.sort] else { return }
        guard let order = Self.orders[text] else {
            return report("Sort", "must be one of distance, started_at, -started_at, id, -id")
        }
        if order == .distance, !hasPoint { report("Sort", "by distance needs lat and lon") }
        parameters.order = order
    }

    // MARK: Page

    private static let maximumTitle = 60

    mutating func readPage(
        into parameters: inout EventParameters,
        _ context: EventParameterContext
    ) {
        if let text = values[.fields] { parameters.fields = fields(text, context) }
        parameters.limit = check("Limit", .limit, .integer(in: 1...context.maximumLimit))
        if let text = values[.cursor] {
            switch context.cursor(text) {
            case .position(let position): parameters.start = position
            case .ofAnotherQuery: report("Cursor", "belongs to a different query")
            case .invalid: report("Cursor", "is invalid")
            }
        }
        if let text = values[.count] {
            parameters.counts = text == "exact"
            if text != "exact", text != "none" { report("Count", "must be one of exact, none") }
        }
        parameters.title = check("Title", .title, .text(maximum: Self.maximumTitle))
    }

    private mutating func fields(
        _ text: String,
        _ context: EventParameterContext
    ) -> [EventField]? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let named = Set(names.compactMap(EventField.init))
        guard names.allSatisfy({ EventField(rawValue: $0) != nil }) else {
            let all = EventField.allCases.map(\.rawValue).joined(separator: ", ")
            report("Fields", "must be among \(all)")
            return nil
        }
        if !hasPoint, named.contains(.distance) || named.contains(.bearing) {
            report("Fields", "distance and bearing need lat and lon")
        } else if !context.allowsFields {
            report("Fields", "applies to JSON, GeoJSON and CSV only")
        }
        return EventField.allCases.filter(named.contains)
    }

    /// Returns the zoom level, at which a box must not have too many cells.
    mutating func readZoom(for box: BoundingBox?) -> Int? {
        var validation = Validation()
        let zoom = validation.required("Zoom", input(.zoom), .integer(in: 0...MapGrid.maximumZoom))
        errors += validation.errors
        guard let zoom, let box else { return zoom }
        let maximum = ClusterQuery.maximumZoom(of: box)
        guard zoom <= maximum else {
            report("Zoom", "is too high for this bbox (maximum is \(maximum))")
            return nil
        }
        return zoom
    }
}
