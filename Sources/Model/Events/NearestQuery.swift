/// Which events a client wants to have found: those about a point, nearest first.
package struct NearestQuery: Equatable, Sendable {
    /// How far from the point events are looked for if the client does not say, in km.
    package static let defaultRadius = 20.0

    package let origin: Coordinate
    /// In km, 0 or more.
    package let radius: Double
    /// How many events at most, 1 or more.
    package let limit: Int

    /// The query that a client sent.
    ///
    /// - Parameters:
    ///   - latitude: Required; degrees, -90 to 90.
    ///   - longitude: Required; degrees, any finite number, which is wrapped into -180 to 180.
    ///   - radius: km; `defaultRadius` if blank.
    ///   - limit: An integer of 1 to `maximumLimit`, which it is if blank.
    ///   - maximumLimit: How many events are answered at most; 1 or more.
    /// - Throws: `ModelError.invalid` with one sentence for each parameter that breaks a rule, in
    ///   the order Lat, Lon, Radius, Limit.
    package init(
        latitude: Input,
        longitude: Input,
        radius: Input = .absent,
        limit: Input = .absent,
        maximumLimit: Int
    ) throws(ModelError) {
        var validation = Validation()
        let latitude = validation.required("Lat", latitude, .number(in: -90...90))
        let longitude = validation.required("Lon", longitude, .number)
        let radius = validation.optional("Radius", radius.nullIfBlank, .number(from: 0))
        let limit = validation.optional("Limit", limit.nullIfBlank, .integer(in: 1...maximumLimit))
        guard validation.errors.isEmpty, let latitude, let longitude else {
            throw .invalid(validation.errors)
        }
        origin = Coordinate.wrapping(latitude: latitude, longitude: longitude)
        self.radius = radius ?? NearestQuery.defaultRadius
        self.limit = limit ?? maximumLimit
    }
}
