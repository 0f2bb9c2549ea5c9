import HTTP
import Model

extension Operation {
    static let welcome = Operation(
        "welcome",
        "Describe the server",
        "A page for clients that accept text/html, otherwise plain text.",
        responses: [
            PossibleResponse(
                .ok,
                "The page or the text.",
                [.text("text/plain"), .text("text/html")],
                headers: [
                    ResponseHeader(
                        "Vary",
                        "Accept, which selects page or text, and the headers of proxies."
                    )
                ]
            )
        ]
    )

    static let documentation = Operation(
        "documentation",
        "Read the documentation",
        "A page that describes every endpoint, with a form to try each one.",
        responses: [.page("The page loads nothing from other hosts and sends nothing to them.")]
    )

    static let map = Operation(
        "map",
        "Show events on a map",
        """
        A page that shows events on a map and as a list. Set `MAP=off` to remove it.
        """,
        responses: [
            .page("Allows nothing from other hosts, except tiles from the server in `MAP_TILES`.")
        ]
    )

    static let mapFile = Operation(
        "mapFile",
        "Get a file of the map",
        "A style sheet, a script or a data file of the page at `/map`.",
        parameters: [
            Parameter("file", in: .path, "The name of the file.", .text(), example: "map.css")
        ],
        responses: [
            PossibleResponse(
                .ok,
                "The file.",
                [.text("text/css"), .text("text/javascript"), .text("text/plain")]
            ),
            .notFound("There is no such file."),
        ]
    )

    static let agentGuide = Operation(
        "agentGuide",
        "Read the guide for coding agents",
        "What Humon is, rules that save attempts, and commands, in the form of llms.txt.",
        responses: [PossibleResponse(.ok, "The guide.", [.text("text/plain")])]
    )

    static let clientScript = Operation(
        "clientScript",
        "Get the client for JavaScript",
        """
        A module for browsers, Node.js, Deno, Bun and React Native. Pages of other origins in \
        `CORS_ORIGINS` can import it.
        """,
        responses: [PossibleResponse(.ok, "The module.", [.text("text/javascript")])]
    )

    static let clientTypes = Operation(
        "clientTypes",
        "Get the types of the client for JavaScript",
        "The declarations of /humon.js for TypeScript, with an interface for each record.",
        responses: [PossibleResponse(.ok, "The declarations.", [.text("text/plain")])]
    )

    static let apiDescription = Operation(
        "apiDescription",
        "Get the description of the API",
        "This OpenAPI 3.1 document, or that of one system, from which to generate a client.",
        parameters: [
            .query(
                "system",
                "The system. The default is all of them.",
                .text(oneOf: ServedSystem.allCases.map(\.rawValue))
            )
        ],
        responses: [
            .ok("The document.", Schema.anyObject.named("OpenAPIDocument")),
            .invalid(
                "The system is unknown or not served.",
                "System must be one of humon, todo, mytasks, twosquare"
            ),
        ]
    )
}

extension PossibleResponse {
    /// Returns an HTML page whose content security policy is as described.
    fileprivate static func page(_ policy: String) -> PossibleResponse {
        PossibleResponse(
            .ok,
            "The page.",
            [.text("text/html")],
            headers: [ResponseHeader("Content-Security-Policy", policy)]
        )
    }
}
