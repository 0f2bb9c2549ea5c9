import HTTP
import OpenAPI

/// What the server says of itself: a welcome, the documentation, and the description of its API.
struct PagesController: Sendable {
    private let description: Response
    private let documentation: OriginTemplate
    private let documentationPolicy: String
    private let welcome: WelcomePage

    /// Makes all pages of a server with these routes, once and for all.
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

    /// A few words, as a page for a browser and as text for everybody else.
    func welcome(_ call: Call) async throws -> Response {
        welcome.response(to: call.request)
    }

    /// The documentation, with the address that it was asked for in its examples.
    func documentation(_ call: Call) async throws -> Response {
        let origin = OriginTemplate.origin(of: call.request)
        return .page(documentation.bytes(origin: origin), policy: documentationPolicy)
    }

    /// The OpenAPI document.
    func description(_ call: Call) async throws -> Response {
        description
    }
}

extension Response {
    /// An HTML page under this Content-Security-Policy.
    static func page(_ html: [UInt8], policy: String) -> Response {
        let headers: Headers = [
            "content-type": "text/html; charset=utf-8", "content-security-policy": policy,
            "referrer-policy": "no-referrer",
        ]
        return Response(.ok, headers: headers, body: html)
    }
}

extension EmbeddedPages {
    /// The text of one of the files in `pages/`; empty if there is none of this name.
    fileprivate static func text(of name: String) -> String {
        all.first { $0.name == name }?.text ?? ""
    }
}
