import HTTP
import Model
import Rules
import System

/// The pages about the server: a welcome, the documentation, and the description of its API.
///
/// They are made when they are first requested, so that the server starts sooner.
struct PagesController: Sendable {
    /// The OpenAPI documents of each system, and of all of them under nil.
    private let descriptions: [ServedSystem?: LazyValue<OriginTemplate>]
    private let documentation: LazyValue<Documentation>
    private let welcome: LazyValue<WelcomePage>
    private let agentGuide: LazyValue<OriginTemplate>
    private let typeDeclarations = LazyValue { TypeDeclarations.text() }

    /// The page where people delete their data.
    let account: AccountPage
    /// The map of events; it has no route if the map is off.
    let map: MapController

    init(_ settings: ApplicationSettings) {
        let described = [nil] + settings.systems.map(Optional.some)
        descriptions = Dictionary(
            uniqueKeysWithValues: described.map { system in
                (system, LazyValue { Self.document(APIDescription(of: settings), of: system) })
            }
        )
        documentation = LazyValue { Documentation(settings) }
        welcome = LazyValue {
            WelcomePage(
                APIDescription(of: settings),
                files: PageFiles(
                    style: ["page.css", "welcome.css"],
                    script: ["page.js", "welcome.js"],
                    drawing: "world.svg"
                )
            )
        }
        agentGuide = LazyValue {
            OriginTemplate(
                AgentGuide.text(
                    APIDescription(of: settings),
                    version: settings.version,
                    guides: settings.guides
                )
            )
        }
        account = AccountPage(settings)
        map = MapController(settings.map ?? MapSettings())
    }

    /// Returns a short description, as a page for browsers and as text for other clients.
    func welcome(_ call: Call) async throws -> Response {
        welcome.value.response(to: call)
    }

    /// Returns the documentation; its examples contain the address of the request.
    func documentation(_ call: Call) async throws -> Response {
        let page = documentation.value
        return page.html.response(to: call, .ofPage(policy: page.policy))
    }

    /// Returns the guide for programs that write apps; it contains the address of the request.
    func agentGuide(_ call: Call) async throws -> Response {
        agentGuide.value.response(to: call, ["content-type": "text/plain; charset=utf-8"])
    }

    /// Returns the client for JavaScript.
    func clientScript(_ call: Call) async throws -> Response {
        .text(PageFiles.text(of: "humon.js"), "text/javascript")
    }

    /// Returns the types of the client for TypeScript.
    func clientTypes(_ call: Call) async throws -> Response {
        .text(typeDeclarations.value, "text/plain")
    }

    /// Returns the OpenAPI document of the requested system, or of all of them.
    func description(_ call: Call) async throws -> Response {
        let name = try call.parameters()["system"].nullIfBlank.spelling
        let system = name.flatMap(ServedSystem.init)
        guard let document = descriptions[system], (name == nil) == (system == nil) else {
            let names = ServedSystem.allCases.map(\.rawValue).joined(separator: ", ")
            throw ModelError.invalid([AttributeError("System", "must be one of \(names)")])
        }
        return document.value.response(to: call, .ofJSON, varyingOn: Call.prefixFields)
    }

    private static func document(
        _ description: APIDescription,
        of system: ServedSystem?
    ) -> OriginTemplate {
        let text = String(decoding: description.json(of: system), as: UTF8.self)
        let server = #""servers":[{"url":""#
        let parts = text.split(separator: server, maxSplits: 1)
        return OriginTemplate(parts.joined(separator: server + "\(OriginTemplate.prefixMark)"))
    }
}

/// The page at `/docs` without the address of the server.
private struct Documentation {
    let html: OriginTemplate
    let policy: String

    init(_ settings: ApplicationSettings) {
        let files = PageFiles(style: ["page.css", "docs.css"], script: ["page.js", "docs.js"])
        html = OriginTemplate(
            DocumentationPage.html(
                APIDescription(of: settings),
                version: settings.version,
                style: files.style,
                script: files.script
            ).text
        )
        policy = ContentSecurityPolicy.text(style: files.style, script: files.script)
    }
}

extension Headers {
    /// Returns the headers of an HTML page with this Content-Security-Policy.
    static func ofPage(policy: String) -> Headers {
        [
            "content-type": "text/html; charset=utf-8", "content-security-policy": policy,
            "referrer-policy": "no-referrer",
        ]
    }
}
