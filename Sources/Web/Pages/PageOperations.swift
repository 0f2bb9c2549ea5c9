import HTTP
import OpenAPI

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
                headers: [ResponseHeader("Vary", "Accept, which selects page or text.")]
            )
        ]
    )

    static let documentation = Operation(
        "documentation",
        "Read the documentation",
        "A page that describes every endpoint, with a form to try each one.",
        responses: [
            PossibleResponse(
                .ok,
                "The page.",
                [.text("text/html")],
                headers: [
                    ResponseHeader(
                        "Content-Security-Policy",
                        "The page loads nothing from other hosts and sends nothing to them."
                    )
                ]
            )
        ]
    )

    static let apiDescription = Operation(
        "apiDescription",
        "Get the description of the API",
        "This OpenAPI 3.1 document.",
        responses: [
            PossibleResponse(
                .ok,
                "The document.",
                [.json(.object(required: ["openapi", "info", "paths"], ["openapi": .text()]))]
            )
        ]
    )
}
