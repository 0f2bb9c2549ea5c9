package import Events
import HTTP
import Rules
import Time

/// The filter of events whose changes are followed: that of a request for changes, or of a webhook.
package struct RegionQuery {
    /// The radius of the greatest region, in km.
    private static let greatestRadius = 200.0
    private static let usualRadius = "20"

    private(set) var query: EventSearchQuery
    /// Nil if a parameter is invalid.
    private(set) var filter: EventFilter?
    /// The errors of the parameters as those of a search.
    private(set) var errors: [AttributeError] = []

    /// Reads the pairs of a query; `others` are names that something else reads.
    ///
    /// Throws the errors of `EventParameters` but `invalid`.
    init(
        _ pairs: [FormPair],
        names: [EventParameterName],
        others: [String] = [],
        _ context: EventParameterContext
    ) throws {
        query = EventSearchQuery(pairs, names: names, others: others)
        if query.values[.lat] != nil { query.setDefault(.radius, Self.usualRadius) }
        do throws(ModelError) {
            filter = try EventParameters(query.values, unknown: [], context).filter
        } catch {
            guard case .invalid(let found) = error else { throw error }
            errors = found
        }
    }

    var hasPlace: Bool { [.lat, .lon, .bbox, .within].contains { query.values[$0] != nil } }

    /// The reasons why the changes of these events can't be followed.
    var furtherErrors: [AttributeError] {
        var errors: [AttributeError] = []
        if let filter, hasPlace, filter.circle?.radius ?? .infinity > Self.greatestRadius {
            errors.append(AttributeError("Region", "is too large (maximum is a circle of 200 km)"))
        }
        for (name, attribute) in [(EventParameterName.from, "From"), (.to, "To")]
        where query.values[name] == "now" {
            errors.append(AttributeError(attribute, "must be a fixed time"))
        }
        return errors
    }

    /// Returns the filter of a webhook and its canonical text.
    ///
    /// Throws `ModelError.invalid` with a sentence for each problem, and `RequestError.malformed`.
    package static func ofWebhook(
        _ text: String,
        openEndHours: Int,
        searchesText: Bool
    ) throws -> (filter: EventFilter, text: String) {
        let context = EventParameterContext(
            now: .now(),
            zones: TimeZoneCatalog(),
            maximumLimit: 1,
            openEndHours: openEndHours,
            searchesText: searchesText,
            allowsFields: false,
            cursor: { _ in .invalid }
        )
        let region = try RegionQuery(
            EventSearchQuery.pairs(of: text),
            names: EventParameterName.ofChanges,
            context
        )
        let errors = region.errors + region.furtherErrors
        guard errors.isEmpty, let filter = region.filter else {
            throw ModelError.invalid(Array(errors.prefix(EventParameters.maximumErrors)))
        }
        return (filter, region.query.filterText)
    }

    /// Returns the canonical query of parameters with their values.
    package static func text(of values: [(name: EventParameterName, value: String)]) -> String {
        var bytes: [UInt8] = []
        for (name, value) in values { EventSearchQuery.append(name, value, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
