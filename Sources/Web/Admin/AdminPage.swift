import HTTP
import Model
import Sodium

/// The admin page and the files that it loads.
struct AdminPageController: AdminController {
    let services: AdminServices

    /// Returns the page.
    func index(_ call: Call) async throws -> Response {
        let hasAdmins = try await !services.admins.all().isEmpty
        let digest = SHA256.digest(of: try await services.installation.uuid())
        let page = AdminPage.html(
            installation: digest.prefix(4)
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
            isPostgreSQL: services.surroundings.isPostgreSQL,
            hasAdmins: hasAdmins,
            map: services.settings.map ?? MapSettings()
        )
        return .text(page, "text/html")
    }

    /// Returns one of the page's files, or throws `RequestError.notFound`.
    func file(_ call: Call) async throws -> Response {
        try AdminPage.file(named: call.fileName, in: EmbeddedAdmin.all)
    }

    /// Returns one of the map's files, or throws `RequestError.notFound`.
    func mapFile(_ call: Call) async throws -> Response {
        try AdminPage.file(named: call.fileName, in: EmbeddedMap.all)
    }

    /// Returns the OpenAPI document of the admin API.
    func description(_ call: Call) async throws -> Response {
        .json(.ok, body: AdminRoutes.description.json())
    }

    /// Returns the style sheet that all pages share.
    func style(_ call: Call) async throws -> Response {
        try AdminPage.file(named: "page.css", in: EmbeddedPages.all)
    }
}

/// The text and the policy of the admin page.
enum AdminPage {
    /// The placeholder in `admin.html` for elements that depend on the server.
    private static let mark = "<!-- settings -->"

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - installation: A text that differs between databases, under which the page keeps the
    ///     token.
    ///   - isPostgreSQL: Whether the database is on a server of its own.
    ///   - hasAdmins: Whether there is an admin.
    ///   - map: The settings of the map.
    /// - Returns: HTML.
    static func html(
        installation: String,
        isPostgreSQL: Bool,
        hasAdmins: Bool,
        map: MapSettings
    ) -> String {
        let settings: HTML = """
            <meta name="installation" content="\(value: installation)">\
            <meta name="database" content="\(value: isPostgreSQL ? "postgresql" : "sqlite")">
            """
        let admins: HTML = hasAdmins ? "" : "<meta name=\"admins\" content=\"none\">"
        let text = EmbeddedAdmin.all.first { $0.name == "admin.html" }?.text ?? ""
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: settings.text + map.tileElements.text + admins.text)
    }

    /// Returns the response with a file, or throws `RequestError.notFound`.
    static func file(
        named name: String?,
        in files: [(name: String, text: String)]
    ) throws(RequestError) -> Response {
        guard let name, let file = files.first(where: { $0.name == name }),
            let type = MapController.mediaType(of: name)
        else { throw .notFound }
        return .text(file.text, type)
    }

    /// Returns the content security policy, which allows files of this server and tiles.
    static func policy(_ map: MapSettings) -> String {
        let tiles = map.tileOrigin.map { " " + $0 } ?? ""
        return """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(tiles); \
            connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
            require-trusted-types-for 'script'; trusted-types 'none'
            """
    }
}
