import HTTP
import Model

extension Operation {
    static let createCheckin = Operation(
        "createCheckin",
        "Check in",
        """
        Every field is optional, and invalid ones are ignored. The body must be a JSON object, \
        whatever its Content-Type says.
        """,
        body: RequestBody(
            .json(
                Schema.object([
                    "nombre": Schema.text().meaning("The name of the place."),
                    "categoria": Schema.text().meaning("The kind of place."),
                    "calificacion": Schema.number().meaning("A rating, as a number."),
                    "latitud": Schema.number().meaning("Degrees, -90 to 90."),
                    "longitud": Schema.number().meaning("Degrees, -180 to 180."),
                    "usuario": Schema.text().meaning("The name of the visitor."),
                    "fechaCreacion": Schema.text().meaning(
                        """
                        A local time such as 22Apr2012 13:21:55, with English or Spanish \
                        month names, or ISO 8601. The default is the time of the request.
                        """
                    ),
                ]).named("NewCheckin"),
                example: #"{"nombre":"Casa Lucio","categoria":"bar","calificacion":4,"#
                    + #""latitud":40.41,"longitud":-3.69,"usuario":"axel","#
                    + #""fechaCreacion":"22Apr2012 13:21:55"}"#
            ),
            isRequired: true
        ),
        responses: [PossibleResponse(.ok, "The check-in is stored. The body is empty.")]
    ).safe(in: .twosquare, returning: .record(.ok, .checkin, Schema.exampleCheckin))

    static let listCheckins = Operation(
        "listCheckins",
        "List the newest check-ins",
        """
        At most the server's limit, usually 1000, the oldest of them first. Missing fields are \
        omitted. If the server fails or is overloaded, the response is 200 with an empty array, \
        because the app crashes on anything else.
        """,
        responses: [
            .ok("The check-ins.", .array(of: .checkin), "[\(Schema.exampleCheckin)]")
        ]
    )

    static let listCategories = Operation(
        "listCategories",
        "List the categories",
        """
        The app's own categories, then all others in use. If the server fails, the response is \
        200 with an empty array.
        """,
        responses: [.ok("The names.", .array(of: .text()), #"["bar","restaurante","tienda"]"#)]
    )
}

extension Schema {
    fileprivate static let exampleCheckin =
        #"{"nombre":"Casa Lucio","categoria":"bar","calificacion":4.0,"#
        + #""latitud":40.41,"longitud":-3.69,"usuario":"axel","#
        + #""fechaCreacion":"22Apr2012 13:21:55","id":1}"#

    fileprivate static let checkin = Schema.object(
        required: ["fechaCreacion", "id"],
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
