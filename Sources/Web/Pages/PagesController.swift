import HTTP
import OpenAPI

/// The pages about the server: a welcome, the documentation, and the description of its API.
struct PagesController: Sendable {
    private let description: Response
    private let documentation: OriginTemplate
    private let documentationPolicy: String
    private let welcome: WelcomePage

    /// The map of events; it has no route if the map is off.
    let map: MapController

    /// Creates all pages of an application in advance.
    init(_ settings: ApplicationSettings) {
        let description = APIDescription(of: settings)
        map = MapController(settings.map ?? MapSettings())
        self.description = .json(.ok, body: description.json())
        let files = PageFiles(style: ["page.css", "docs.css"], script: ["page.js", "docs.js"])
        documentation = OriginTemplate(
            DocumentationPage.html(
                description,
                version: settings.version,
                style: files.style,
                script: files.script
            )
        )
        documentationPolicy = ContentSecurityPolicy.text(
            style: files.style,
            script: files.script
        )
        welcome = WelcomePage(
            description,
            files: PageFiles(
                style: ["page.css", "welcome.css"],
                script: ["page.js", "welcome.js"],
                drawing: "world.svg"
            )
        )
    }

    /// Returns a short description, as a page for browsers and as text for other clients.
    func welcome(_ call: Call) async throws -> Response {
        welcome.response(to: call.request)
    }

    /// Returns the documentation; its examples contain the address of the request.
    func documentation(_ call: Call) async throws -> Response {
        let origin = OriginTemplate.origin(of: call.request)
        return .page(documentation.bytes(origin: origin), policy: documentationPolicy)
    }

    /// Returns the OpenAPI document.
    func description(_ call: Call) async throws -> Response {
        description
    }
}

extension Response {
    /// Returns an HTML page with this Content-Security-Policy.
    static func page(_ html: [UInt8], policy: String) -> Response {
        let headers: Headers = [
            "content-type": "text/html; charset=utf-8", "content-security-policy": policy,
            "referrer-policy": "no-referrer",
        ]
        return Response(.ok, headers: headers, body: html)
    }
}
