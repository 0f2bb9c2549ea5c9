import HTTP
import Model
import Rules

/// The categories of check-ins.
struct CategoriesController: Sendable {
    /// The app's own list, in its order.
    private static let usual = ["bar", "restaurante", "tienda"]

    let services: Services

    /// Returns the app's own categories, then all others in use that are not blank.
    func index(_ call: Call) async throws -> Response {
        let used = try await services.checkins.categories(limit: services.limits.results)
        let others = used.filter { !Self.usual.contains($0) && !Input.text($0).isBlank }
        return CategoryView.response(Self.usual + others)
    }
}
