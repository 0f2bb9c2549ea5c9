import HTTP
import Model

/// Categories of check-ins.
struct CategoriesController: Sendable {
    /// The app's own list, in its order.
    private static let usual = ["bar", "restaurante", "tienda"]

    let checkins: any CheckinStore
    let maximumLimit: Int

    /// The app's own categories, then the others that are in use and can be seen.
    func index(_ call: Call) async throws -> Response {
        let used = try await checkins.categories(limit: maximumLimit)
        let others = used.filter { !Self.usual.contains($0) && !Input.text($0).isBlank }
        return CategoryView.response(Self.usual + others)
    }
}
