import HTTP
import OpenAPI

/// The pages about the server: a welcome, the documentation, and the description of its API.
struct PagesController: Sendable {
    private let description: Response
    private let documentation: OriginTemplate
    private let documentationPolicy: String
    private let welcome: WelcomePage

    /// Creates all pages for these routes, once.
    init(_ description: APIDescription) {
        self.description = .json(.ok, body: description.json())
        let style = EmbeddedPages.text(of: "docs.css")
        let script = EmbeddedPages.text(of: "docs.js")
        documentation = OriginTemplate(
            DocumentationPage.html(description, style: style, script: script)
        )
        documentationPolicy = ContentSecurityPolicy.text(style: style, script: script)
        welcome = WelcomePage(description, style: style)
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

extension EmbeddedPages {
    /// Returns the text of a file in `pages/`; empty if there is no such file.
    fileprivate static func text(of name: String) -> String {
        all.first { $0.name == name }?.text ?? ""
    }
}
