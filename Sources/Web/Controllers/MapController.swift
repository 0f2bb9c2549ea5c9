import HTTP
import System

/// The map of events: a page, and the files that it loads.
struct MapController: Sendable {
    /// The placeholder in `map.html` for elements that depend on the settings.
    private static let mark = "<!-- settings -->"

    private let content: LazyValue<Content>

    /// The responses, which are made when one of them is first requested.
    private struct Content {
        let page: OriginTemplate
        let policy: String
        let files: [String: Response]
    }

    init(_ settings: MapSettings) {
        content = LazyValue {
            Content(
                page: OriginTemplate(Self.html(settings)),
                policy: Self.policy(settings),
                files: Self.files()
            )
        }
    }

    /// Returns the page.
    func index(_ call: Call) async throws -> Response {
        let content = content.value
        return content.page.response(
            to: call,
            .ofPage(policy: content.policy),
            varyingOn: Call.prefixFields
        )
    }

    /// Returns one of the page's files, or throws `RequestError.notFound`.
    func show(_ call: Call) async throws -> Response {
        guard let name = call.fileName, let response = content.value.files[name] else {
            throw RequestError.notFound
        }
        return response
    }

    private static func files() -> [String: Response] {
        Dictionary(
            uniqueKeysWithValues: EmbeddedMap.all.compactMap { file in
                mediaType(of: file.name).map { (file.name, .text(file.text, $0)) }
            }
        )
    }

    private static func html(_ settings: MapSettings) -> String {
        let hosts = settings.imageHosts.joined(separator: " ")
        let images: HTML =
            hosts.isEmpty ? "" : "<meta name=\"map-images\" content=\"\(value: hosts)\">"
        let text = EmbeddedMap.all.first { $0.name == "map.html" }?.text ?? ""
        // The page's links and files are at paths of this server.
        let linked = text.split(separator: "=\"/", omittingEmptySubsequences: false)
            .joined(separator: "=\"\(OriginTemplate.prefixMark)/")
        let parts = linked.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        let search: HTML =
            settings.searchesText ? "" : "<meta name=\"map-search\" content=\"off\">"
        return parts.joined(separator: settings.tileElements.text + images.text + search.text)
    }

    /// Returns the content security policy, which allows files of this server, tiles and images.
    private static func policy(_ settings: MapSettings) -> String {
        let origins =
            [settings.tileOrigin].compactMap(\.self)
            + settings.imageHosts.map { "https://" + $0 }
        let images = origins.map { " " + $0 }.joined()
        return """
            default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
            img-src 'self' data:\(images); base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'
            """
    }

    /// Returns the media type of a file, or nil for the page itself.
    static func mediaType(of name: String) -> String? {
        if name.hasSuffix(".css") { return "text/css" }
        if name.hasSuffix(".js") { return "text/javascript" }
        return name.hasSuffix(".txt") ? "text/plain" : nil
    }
}
