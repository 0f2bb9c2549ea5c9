import Events
import Rules
import Testing

struct NearestQueryTests {
    @Test func `looks for what was asked`() throws {
        let query = try NearestQuery(
            latitude: .text("37.771098"),
            longitude: .text("-122.430782"),
            radius: .text("0.4995"),
            limit: .text("25"),
            maximumLimit: 1000
        )

        #expect(query.origin == Coordinate(latitude: 37.771098, longitude: -122.430782))
        #expect(query.radius == 0.4995)
        #expect(query.limit == 25)
    }

    @Test(arguments: [Input.absent, .null, .text(""), .text("  ")])
    func `looks 20 km far and for the most there may be unless told`(blank: Input) throws {
        let query = try NearestQuery(
            latitude: .text("0"),
            longitude: .text("0"),
            radius: blank,
            limit: blank,
            maximumLimit: 300
        )

        #expect(query.radius == 20)
        #expect(query.limit == 300)
    }

    @Test(arguments: [
        ("-122.430782", -122.430782), ("180", 180), ("-180", -180), ("190", -170), ("-190", 170),
        ("3600000000010", 10), ("1e-05", 1e-05),
    ])
    func `wraps the longitude`(sent: String, longitude: Double) throws {
        #expect(try query(longitude: .text(sent)).origin.longitude == longitude)
    }

    @Test(arguments: [("0", 0.0), ("-0", 0), ("1e-05", 1e-05), ("1e300", 1e300), ("+2", 2)])
    func `takes any radius that is not negative`(sent: String, radius: Double) throws {
        #expect(try query(radius: .text(sent)).radius == radius)
    }

    @Test(arguments: [("1", 1), ("1000", 1000), ("007", 7), ("20.0", 20), ("1e2", 100)])
    func `takes a limit from 1 to the maximum`(sent: String, limit: Int) throws {
        #expect(try query(limit: .text(sent)).limit == limit)
        #expect(try query(limit: .number(sent)).limit == limit)
    }

    @Test(arguments: [
        (Input.text("0"), "Limit must be greater than or equal to 1"),
        (.text("-5"), "Limit must be greater than or equal to 1"),
        (.text("-1e300"), "Limit must be greater than or equal to 1"),
        (.text("1001"), "Limit must be less than or equal to 1000"),
        (.text("9223372036854775808"), "Limit must be less than or equal to 1000"),
        (.number("1e300"), "Limit must be less than or equal to 1000"),
        (.text("2.5"), "Limit must be an integer"),
        (.text("0.5"), "Limit must be an integer"),
        (.text("abc"), "Limit is not a number"),
        (.text("5 "), "Limit is not a number"),
        (.text("1e400"), "Limit is not a number"),
        (.boolean(true), "Limit is not a number"),
        (.list([]), "Limit is not a number"),
    ])
    func `refuses any other limit`(limit: Input, message: String) {
        #expect(throws: ModelError.invalid([message])) { try query(limit: limit) }
    }

    @Test func `names everything that is wrong in order`() {
        #expect(throws: ModelError.invalid(["Lat can't be blank", "Lon can't be blank"])) {
            try NearestQuery(latitude: .absent, longitude: .null, maximumLimit: 1000)
        }
        #expect(
            throws: ModelError.invalid([
                "Lat must be less than or equal to 90", "Lon is not a number",
                "Radius must be greater than or equal to 0", "Limit is not a number",
            ])
        ) {
            try NearestQuery(
                latitude: .text("90.1"),
                longitude: .text("1e999"),
                radius: .text("-0.1"),
                limit: .text("many"),
                maximumLimit: 1000
            )
        }
        #expect(
            throws: ModelError.invalid([
                "Lat must be greater than or equal to -90", "Lon is not a number",
                "Radius is not a number",
            ])
        ) {
            try NearestQuery(
                latitude: .text("-91"),
                longitude: .list([]),
                radius: .text("NaN"),
                maximumLimit: 1000
            )
        }
    }

    @discardableResult
    private func query(
        longitude: Input = .text("0"),
        radius: Input = .absent,
        limit: Input = .absent
    ) throws -> NearestQuery {
        try NearestQuery(
            latitude: .text("0"),
            longitude: longitude,
            radius: radius,
            limit: limit,
            maximumLimit: 1000
        )
    }
}
