import Foundation
import Randomness
import Support

/// Requests for pages of events and for clusters, with any parameters, valid and not.
struct RandomSearches {
    private var generator: SeededGenerator
    private var values: RandomValues
    /// The page after the latest one.
    private var nextPage: PairedRequest?
    /// The latest request, from a client that has the response.
    private var repeated: PairedRequest?
    private var cursor = "x"

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: seed &+ 1000)
    }

    /// Remembers the next page and the entity tag of a search's response.
    mutating func learn(from answers: (Answer, Answer), to request: PairedRequest) {
        guard answers.0.status == 200 else { return }
        var plain = request
        plain.fields.removeAll { $0.name == "If-None-Match" }
        if let one = answers.0.fields["etag"], let other = answers.1.fields["etag"] {
            // Calendars have whole seconds, in which only one engine may change an event twice.
            let isCalendar = answers.0.fields["content-type"]?.hasPrefix("text/cal") == true
            let known = ValuePair(one: one, other: other)
            repeated = isCalendar ? nil : plain.with("If-None-Match", known)
        }
        if let link = answers.0.fields["link"] {
            plain.target = String(link.dropFirst().prefix { $0 != ">" })
            nextPage = plain
            cursor = plain.target.firstMatch(of: /cursor=([^&]*)/).map { String($0.1) } ?? cursor
        }
    }

    /// A search, the next page of the latest one, or the latest one again.
    mutating func search(as user: [PairedRequest.Field]) -> PairedRequest {
        if isRare(6), let repeated { return repeated }
        if !isRare(3), let page = nextPage {
            nextPage = nil
            return page
        }
        let suffix = pick(
            ["", "", "", ".json", ".geojson", ".ics", ".atom", ".csv", ".txt"],
            or: [".xml", "/"]
        )
        var query = filters()
        if isRare(3) {
            let orders = ["distance", "started_at", "-started_at", "id", "-id"]
            query.append("sort=\(pick(orders, or: ["x"]))")
        }
        query += page(hasFields: ["", ".json", ".geojson", ".csv"].contains(suffix))
        let request = PairedRequest(
            method: isRare(12) ? "HEAD" : "GET",
            target: "/v1/events\(suffix)?\(joined(query))",
            fields: credentials(of: user)
        )
        return suffix.isEmpty && isRare(2) ? request.with("Accept", accepted()) : request
    }

    mutating func clusters(as user: [PairedRequest.Field]) -> PairedRequest {
        let zoom = pick(["0", "1", "2", "3", "4", "4", "8", "11", "22"], or: ["23", "x", ""])
        let box = isRare(30) ? "" : box()
        return PairedRequest(
            method: "GET",
            target: "/v1/events/clusters?\(joined(["bbox=\(box)", "zoom=\(zoom)"] + filters()))",
            fields: credentials(of: user)
        )
    }

    // MARK: The parts of requests

    private mutating func isRare(_ count: UInt64) -> Bool { generator.next() % count == 0 }

    private mutating func pick<T>(_ elements: [T]) -> T {
        elements[Int(generator.next() % UInt64(elements.count))]
    }

    /// A valid value or, seldom, an invalid one.
    private mutating func pick(_ valid: [String], or invalid: [String]) -> String {
        isRare(30) ? pick(invalid) : pick(valid)
    }

    /// The parameters in any order; a plus sign is encoded, or stands for itself in some values.
    private mutating func joined(_ parameters: [String]) -> String {
        let query = parameters.shuffled(using: &generator).joined(separator: "&")
        return isRare(4) ? query : query.replacing("+", with: "%2B")
    }

    /// The token in one of the fields that calendar apps send.
    private mutating func credentials(of user: [PairedRequest.Field]) -> [PairedRequest.Field] {
        guard let token = user.first?.value, isRare(3) else { return user }
        let isBasic = isRare(2)
        func field(_ token: String) -> String {
            isBasic ? "Basic \(Data("any:\(token)".utf8).base64EncodedString())" : "Bearer \(token)"
        }
        let value = ValuePair(one: field(token.one), other: field(token.other))
        return [(name: "Authorization", value: value)]
    }

    private mutating func accepted() -> ValuePair {
        let value = pick([
            "application/json", "application/geo+json", "text/calendar", "application/atom+xml",
            "text/csv", "text/plain", "*/*;q=0.1, text/plain;q=0.5", "image/png", "text/csv;q=x",
        ])
        return ValuePair(one: value, other: value)
    }

    // MARK: Filters

    private mutating func filters() -> [String] {
        var filters: [String] = []
        if isRare(2) {
            filters.append("lat=\(values.latitude())")
            if !isRare(30) { filters.append("lon=\(values.longitude())") }
            if isRare(3) {
                let radii = ["0", "0.5", "5", "20", "500", "9000", "20100"]
                filters.append("radius=\(pick(radii, or: ["-1", "x"]))")
            }
        }
        if isRare(4) { filters.append("units=\(pick(["km", "m", "mi"], or: ["KM"]))") }
        if isRare(8) { filters.append("bbox=\(box())") }
        if isRare(8) { filters.append("within=\(polygon())") }
        filters += window()
        if isRare(8) {
            let owners = ["me", "1", "2", "3", "9223372036854775807"]
            filters.append("owner=\(pick(owners, or: ["x"]))")
        }
        filters += terms()
        if isRare(10) { filters.append("attendee=\(pick(["me"], or: ["1"]))") }
        if isRare(60) { filters.append(pick(["raduis=1", "_a=1", "lat=", "within=0"])) }
        return filters
    }

    private mutating func terms() -> [String] {
        var terms: [String] = []
        if isRare(5) {
            let texts = [
                "a", "an", "ana", "ana%20", "dolores+pa", "E", "sa+n", "x", "%F0%9F%A7%BA",
            ]
            terms.append("q=\(pick(texts, or: ["%00", "1+2+3+4+5+6+7+8+9", "!", "%20"]))")
        }
        if isRare(10) {
            let categories = ["music", "Live-Music", "food,music", "none"]
            terms.append("category=\(pick(categories, or: ["a,,b", "-"]))")
        }
        while isRare(8) {
            let tags = ["jazz", "ANA", "e,z", "%23Jazz", "none", "picnic+%F0%9F%A7%BA+'n'+s%C3%A1"]
            terms.append("tag=\(pick(tags, or: [",", "%00"]))")
        }
        if isRare(10) {
            terms.append("status=\(pick(["any", "cancelled,postponed"], or: ["x"]))")
        }
        if isRare(20) { terms.append("series=\(pick(["ana", "z", "none"], or: ["%00"]))") }
        return terms
    }

    private mutating func box() -> String {
        if isRare(3) {
            let (west, south) = (values.longitude(), values.latitude())
            return "\(west),\(south),\(values.longitude()),90"
        }
        return pick(
            [
                "-180,-90,180,90", "-122.5,37.7,-122.3,37.9", "179,-90,-179,90", "170,-10,540,90",
                "-122.43,37.76,-122.43,37.76", "180,-90,180,90", "0,90,0,90", "-123,37,-122,38.5",
                "-360,-90.0,360,-90", "-180,0,-122.43,37.76",
            ],
            or: ["1,2,3", "0,10,1,-10", "0,-91,1,1", "x,1,2,3"]
        )
    }

    private mutating func polygon() -> String {
        if isRare(3) {
            let count = 3 + generator.next() % 6
            return (0..<count).map { _ in "\(values.longitude()),\(values.latitude())" }
                .joined(separator: ",")
        }
        return pick(
            [
                "-123,37,-122,37,-122.4,38.5", "170,-80,-170,-80,-170,80,170,80",
                "0,80,120,80,-120,80", "-122.43,37.76,-122.42,37.76,-122.42,37.77,-122.43,37.77",
                "0,0,1,1,2,2", "180,-90,180,0,-180,90,0,89", "-122,37,-122,38,-123,38,-122,37",
            ],
            or: ["1,2,3,4", "0,0,120,0,-120,0", "0,91,1,1,2,2"]
        )
    }

    private mutating func window() -> [String] {
        var window: [String] = []
        if isRare(8) {
            let words = [
                "now", "upcoming", "today", "Tomorrow", "weekend", "week", "next-week", "month",
                "next-month", "2013-09-16", "2013-09", "2012-02-29", "9999-12", "0001-01-01",
            ]
            window.append("when=\(pick(words, or: ["x", "2013-02-29"]))")
        }
        if isRare(window.isEmpty ? 6 : 50) { window.append("from=\(time())") }
        if isRare(window.isEmpty ? 8 : 50) { window.append("to=\(time())") }
        if isRare(4) {
            let zones = ["Z", "UTC", "+02:00", "-09:30", "Europe/Madrid", "America/Los_Angeles"]
            window.append("tz=\(pick(zones, or: ["Nowhere/City", "+25:00"]))")
        }
        if isRare(6) { window.append("ongoing=\(pick(["true", "false", "0"], or: ["x"]))") }
        return window
    }

    private mutating func time() -> String {
        isRare(3)
            ? pick(["now", "2013-09-16", "2013-09-16T02:00", "2012-02-29T06:30:00.001"], or: ["x"])
            : values.instant()
    }

    // MARK: Pages

    private mutating func page(hasFields: Bool) -> [String] {
        var page: [String] = []
        if isRare(hasFields ? 4 : 60) {
            let names = [
                "address", "ended_at", "id", "lat", "lon", "name", "started_at", "owner",
                "created_at", "updated_at", "distance", "bearing",
            ]
            let fields = names.shuffled(using: &generator).prefix(1 + Int(generator.next() % 4))
            page.append("fields=\(pick([fields.joined(separator: ",")], or: ["x", "id,"]))")
        }
        if !isRare(12) {
            page.append("limit=\(pick(["1", "2", "3", "7", "20", "30"], or: ["0", "1001", "x"]))")
        }
        if isRare(40) { page.append("cursor=\(cursor)") }
        if isRare(5) { page.append("count=\(pick(["exact", "exact", "none"], or: ["x"]))") }
        if isRare(8) {
            let long = String(repeating: "x", count: 61)
            page.append("title=\(pick(["Home", "a%26b%C3%A9%3C%0D%0A"], or: [long]))")
        }
        return page
    }
}
