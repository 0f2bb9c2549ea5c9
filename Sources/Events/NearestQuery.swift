package import Rules

/// A query for the events near a point, nearest first.
package struct NearestQuery: Equatable, Sendable {
    /// The radius in km of a query without one.
    package static let defaultRadius = 20.0

    package let origin: Coordinate
    /// In km, 0 or more.
    package let radius: Double
    /// The maximum number of events, 1 or more.
    package let limit: Int

    /// Validates the query that a client sent.
    ///
    /// - Parameters:
    ///   - latitude: Required; degrees, -90 to 90.
    ///   - longitude: Required; degrees, any finite number, which is wrapped into -180 to 180.
    ///   - radius: km; `defaultRadius` if blank.
    ///   - limit: An integer from 1 to `maximumLimit`; `maximumLimit` if blank.
    ///   - maximumLimit: The maximum number of events in a response; 1 or more.
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
