import HTTP
import Model

/// The categories of check-ins.
struct CategoriesController: Sendable {
    /// The app's own list, in its order.
    private static let usual = ["bar", "restaurante", "tienda"]

    let checkins: any CheckinStore
    let maximumLimit: Int

    /// Returns the app's own categories, then all others in use that are not blank.
    func index(_ call: Call) async throws -> Response {
        let used = try await checkins.categories(limit: maximumLimit)
        let others = used.filter { !Self.usual.contains($0) && !Input.text($0).isBlank }
        return CategoryView.response(Self.usual + others)
    }
}
