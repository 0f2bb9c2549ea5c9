import HTTP
import OpenAPI

extension Operation {
    static let welcome = Operation(
        "welcome",
        "Say what this is",
        "A page for who accepts text/html, a few lines of text for everybody else.",
        responses: [
            PossibleResponse(
                .ok,
                "A few words.",
                [.text("text/plain"), .text("text/html")],
                headers: [ResponseHeader("Vary", "Accept: it decides between page and text.")]
            )
        ]
    )

    static let documentation = Operation(
        "documentation",
        "Read how to use the server",
        "A page with every endpoint, on which each can be tried.",
        responses: [
            PossibleResponse(
                .ok,
                "The page.",
                [.text("text/html")],
                headers: [
                    ResponseHeader(
                        "Content-Security-Policy",
                        "Nothing is loaded from anywhere, nothing is sent anywhere else."
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
