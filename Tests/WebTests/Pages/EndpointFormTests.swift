@testable import Web
import Testing

@Suite struct EndpointFormTests {
    private static func html(_ parameters: [Parameter]) -> String {
        EndpointForm(Operation("op", "Do", "", parameters: parameters, responses: [])).fields.text
    }

    private static func query(
        _ name: String,
        _ schema: Schema = .text(),
        isRequired: Bool = false,
        example: String? = nil
    ) -> Parameter {
        Parameter(name, in: .query, "", isRequired: isRequired, schema, example: example)
    }

    private static func names(_ parameters: [Parameter]) -> [String] { parameters.map(\.name) }

    @Test func `shows required parameters, then common ones, and collapses the others`() {
        let operation = Operation(
            "op",
            "Do",
            "",
            parameters: [
                Self.query("rare"), Self.query("common", example: "1"),
                Self.query("needed", isRequired: true), Self.query("odd"),
            ],
            responses: []
        )

        #expect(Self.names(operation.formParameters.shown) == ["needed", "common"])
        #expect(Self.names(operation.formParameters.folded) == ["rare", "odd"])
    }

    @Test func `collapses examples beyond the sixth, but never a single parameter`() {
        let many = (1...9).map { Self.query("p\($0)", example: "1") }
        let operation = Operation("op", "Do", "", parameters: many, responses: [])
        let single = Operation("op", "Do", "", parameters: [Self.query("a")], responses: [])

        #expect(Self.names(operation.formParameters.shown) == ["p1", "p2", "p3", "p4", "p5", "p6"])
        #expect(Self.names(operation.formParameters.folded) == ["p7", "p8", "p9"])
        #expect(Self.names(single.formParameters.shown) == ["a"])
    }

    @Test func `fills in examples only in visible fields`() {
        let folded = (1...8).map { Self.query("p\($0)", example: "e\($0)") }
        let html = Self.html(folded)

        #expect(html.contains(#"<input name="p6" data-in="query" value="e6">"#))
        #expect(html.contains("<summary>2 more parameters</summary>"))
        #expect(html.contains(#"<input name="p7" data-in="query" placeholder="e7">"#))
    }

    @Test func `offers the values of a schema`() {
        let closed = Self.html([Self.query("sort", .text(oneOf: ["id", "-id"]), example: "-id")])
        let boolean = Self.html([Self.query("all", .boolean)])
        let number = Self.html([Self.query("lat", .number())])
        let text = Self.html([Self.query("name", .text(upTo: 9))])

        #expect(
            closed.contains(
                #"<select name="sort" data-in="query"><option value="">Default</option>"#
                    + "<option>id</option><option selected>-id</option></select>"
            )
        )
        #expect(boolean.contains("<option>true</option><option>false</option></select>"))
        #expect(number.contains(#"<input name="lat" data-in="query" inputmode="decimal"></div>"#))
        #expect(text.contains(#"<input name="name" data-in="query"></div>"#))
    }

    @Test func `escapes the texts of a description`() {
        let hostile = #"<b>"&'`x`</b>"#
        let html = Self.html([
            Parameter(
                hostile,
                in: .query,
                hostile,
                isRequired: true,
                .text(oneOf: [hostile]),
                example: hostile
            )
        ])

        #expect(
            html == """
                <div class="field"><label>&lt;b&gt;"&amp;'`x`&lt;/b&gt; \
                <small>query, required</small></label><p>&lt;b&gt;"&amp;'<code>x</code>&lt;/b&gt;\
                </p><select name="&lt;b&gt;&quot;&amp;&#39;`x`&lt;/b&gt;" data-in="query" required>\
                <option value="">Default</option><option selected>&lt;b&gt;"&amp;'`x`&lt;/b&gt;\
                </option></select></div>
                """
        )
    }
}
