import HTTP
import OpenAPI

extension Operation {
    static let createCheckin = Operation(
        "createCheckin",
        "Check in",
        """
        Every field may be missing, and one that makes no sense is left out. The body has to be a \
        JSON object, which the app calls a form: the Content-Type does not matter.
        """,
        body: RequestBody(
            [
                .json(
                    .object([
                        "nombre": Schema.any.meaning("The name of the place."),
                        "categoria": Schema.any.meaning("What kind of place it is."),
                        "calificacion": Schema.any.meaning("The rating, a number."),
                        "latitud": Schema.any.meaning("Degrees, -90 to 90."),
                        "longitud": Schema.any.meaning("Degrees, -180 to 180."),
                        "usuario": Schema.any.meaning("Who checks in."),
                        "fechaCreacion": Schema.any.meaning(
                            """
                            A local time such as 22Apr2012 13:21:55, with English or Spanish \
                            months, or ISO 8601; now if it is missing or can't be read.
                            """
                        ),
                    ]),
                    example: #"{"nombre":"Casa Lucio","categoria":"bar","calificacion":4,"#
                        + #""latitud":40.41,"longitud":-3.69,"usuario":"axel","#
                        + #""fechaCreacion":"22Apr2012 13:21:55"}"#
                )
            ],
            isRequired: true
        ),
        responses: [PossibleResponse(.ok, "It is stored. No body.")]
    )

    static let listCheckins = Operation(
        "listCheckins",
        "List the newest check-ins",
        """
        As many as the server allows, usually 1000, the oldest of them first. What a check-in has \
        not is left out. Where the server fails or is asked too much, the answer is 200 and an \
        empty array, because the app crashes on anything else.
        """,
        responses: [
            PossibleResponse(
                .ok,
                "The check-ins.",
                [
                    .json(
                        .array(of: .checkin),
                        example: #"[{"nombre":"Casa Lucio","categoria":"bar","calificacion":4.0,"#
                            + #""latitud":40.41,"longitud":-3.69,"usuario":"axel","#
                            + #""fechaCreacion":"22Apr2012 13:21:55","id":1}]"#
                    )
                ]
            )
        ]
    )

    static let listCategories = Operation(
        "listCategories",
        "List the categories",
        """
        The app's own, then the others that are in use. Like the list of check-ins, it is empty \
        where the server fails.
        """,
        responses: [
            PossibleResponse(
                .ok,
                "The names.",
                [.json(.array(of: .text()), example: #"["bar","restaurante","tienda"]"#)]
            )
        ]
    )
}

extension Schema {
    fileprivate static let checkin = Schema.object(
        required: ["fechaCreacion", "id"],
        closed: true,
        [
            "nombre": .text(), "categoria": .text(), "calificacion": .number(),
            "latitud": .number(from: -90, upTo: 90), "longitud": .number(from: -180, upTo: 180),
            "usuario": .text(),
            "fechaCreacion": .text(
                pattern: "^[0-9]{2}[A-Z][a-z]{2}[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}$"
            ),
            "id": .recordID,
        ]
    ).named("Checkin")
}
