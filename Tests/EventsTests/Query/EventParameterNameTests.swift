import Events
import Testing

@Suite struct EventParameterNameTests {
    @Test func `has the names of the parameters in the order of links`() {
        let filters = [
            "lat", "lon", "radius", "units", "bbox", "within", "from", "to", "when", "tz",
            "ongoing", "q", "category", "tag", "status", "series", "owner", "attendee", "sort",
        ]
        let page = ["fields", "limit", "cursor", "count", "title"]

        #expect(EventParameterName.ofSearches.map(\.text) == filters + page)
        #expect(EventParameterName.ofSearches.filter(\.isFilter).map(\.text) == filters)
        #expect(EventParameterName.ofClusters.map(\.text) == filters.dropLast() + ["zoom"])
        #expect(
            EventParameterName.ofAdmins.map(\.text)
                == filters.dropLast(2) + ["hidden", "reported", "sort", "limit", "cursor", "count"]
        )
        #expect(EventParameterName("Lat") == nil)
    }

    @Test func `keeps the last value of each name, in the order of the names`() {
        var values: EventParameterValues = [.limit: "5", .lat: "1", .limit: "6", .zoom: "7"]
        values[.zoom] = nil
        values[.title] = nil

        #expect(values.pairs.map(\.name) == [.lat, .limit])
        #expect(values.pairs.map(\.text) == ["1", "6"])
        #expect(values[.limit] == "6")
        #expect(values[.zoom] == nil)
    }

    @Test func `keeps all values of a tag, in the order in which they were sent`() {
        var values: EventParameterValues = [.lat: "1", .limit: "5"]
        values.append(.tag, "b")
        values.append(.tag, "a")

        #expect(values.pairs.map(\.name) == [.lat, .tag, .tag, .limit])
        #expect(values.all(.tag) == ["b", "a"])
        #expect(EventParameterName.allCases.filter(\.isRepeatable) == [.tag])
    }
}
