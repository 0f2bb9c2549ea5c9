import HTTP

/// The form of an endpoint, which also documents the parameters.
///
/// Without the page's script, only names and descriptions are visible. The script copies the fields
/// of a linked form. It connects labels, hints and lists with fields, and adds the menu of body
/// types. In the HTML, all this would be a third of the page.
struct EndpointForm {
    private let operation: Operation

    init(_ operation: Operation) {
        self.operation = operation
    }

    /// The HTML of the fields; it is the same for endpoints with the same fields.
    var fields: String {
        var html = HTMLText()
        let credential = PageCredential.needed(by: operation)
        if let credential, !operation.isOpen { append(credential, to: &html) }
        let parameters = operation.formParameters
        for parameter in parameters.shown { append(parameter, isFolded: false, to: &html) }
        if !parameters.folded.isEmpty {
            html.markup("<details class=\"more\"><summary>")
            html.element("", "\(parameters.folded.count) more parameters", "</summary>")
            html.markup("<div>")
            for parameter in parameters.folded { append(parameter, isFolded: true, to: &html) }
            html.markup("</div></details>")
        }
        // The optional token comes last, because few requests need it.
        if let credential, operation.isOpen { append(credential, to: &html) }
        if let body = operation.body { append(body, to: &html) }
        return html.text
    }

    private func append(_ credential: PageCredential, to html: inout HTMLText) {
        let note = operation.isOpen ? "optional" : ""
        beginField(credential.name, note: note, hint: credential.source, to: &html)
        html.markup("<input data-in=\"header\"")
        html.attribute("data-credential", credential.rawValue)
        if operation.isOpen { html.markup(" data-optional") }
        switch operation.credentials.first?.place {
        case .header(let name): html.attribute("name", name)
        case .bearer, .query: html.markup(" name=\"Authorization\" data-prefix=\"Bearer \"")
        case nil: html.attribute("name", PageCredential.secretHeader)
        }
        html.markup("></div>")
    }

    private func append(_ parameter: Parameter, isFolded: Bool, to html: inout HTMLText) {
        let note = parameter.place.rawValue + (parameter.isRequired ? ", required" : "")
        beginField(parameter.name, note: note, hint: parameter.meaning, to: &html)
        let choices = parameter.schema.choices
        html.markup(choices.isClosed ? "<select" : "<input")
        html.attribute("name", parameter.name)
        html.attribute("data-in", parameter.place.rawValue)
        if parameter.isRequired { html.markup(" required") }
        guard !choices.isClosed else {
            append(choices.values, selected: isFolded ? nil : parameter.example, to: &html)
            return
        }
        // A value in a collapsed field would be sent without the user seeing it.
        if let example = parameter.example {
            html.attribute(isFolded ? "placeholder" : "value", example)
        }
        if parameter.schema.isNumeric { html.markup(" inputmode=\"decimal\"") }
        if choices.values.isEmpty {
            html.markup("></div>")
        } else {
            html.markup("><datalist>")
            for value in choices.values { html.element("<option>", value, "</option>") }
            html.markup("</datalist></div>")
        }
    }

    /// Appends the options of a menu and the end of its field.
    private func append(_ values: [String], selected: String?, to html: inout HTMLText) {
        html.markup("><option value=\"\">Default</option>")
        for value in values {
            html.markup(value == selected ? "<option selected>" : "<option>")
            html.element("", value, "</option>")
        }
        html.markup("</select></div>")
    }

    /// Appends the field of a body; the description has its types and examples.
    private func append(_ body: RequestBody, to html: inout HTMLText) {
        let note = body.isRequired ? "required" : ""
        beginField("Body", note: note, hint: body.meaning, to: &html)
        html.markup("<textarea name=\"body\"></textarea></div>")
    }

    private func beginField(_ name: String, note: String, hint: String, to html: inout HTMLText) {
        html.element("<div class=\"field\"><label>", name, "")
        if !note.isEmpty { html.element(" <small>", note, "</small>") }
        html.markup("</label>")
        guard !hint.isEmpty else { return }
        html.markup("<p>")
        html.prose(hint)
        html.markup("</p>")
    }
}

extension Operation {
    /// The visible parameters of a form, required ones first, and the collapsed ones.
    ///
    /// Optional parameters with an example are visible. A single other parameter is visible, too.
    var formParameters: (shown: [Parameter], folded: [Parameter]) {
        // The app secret has its own field.
        let parameters = parameters.filter { $0.name != PageCredential.secretHeader }
        let required = parameters.filter(\.isRequired)
        let optional = parameters.filter { !$0.isRequired }
        let common = optional.filter { $0.example != nil }.prefix(Self.shownOptions)
        let folded = optional.filter { one in !common.contains { $0.name == one.name } }
        return folded.count > 1
            ? (required + common, folded) : (required + common + folded, [])
    }

    /// The maximum number of visible optional parameters with an example.
    private static var shownOptions: Int { 6 }
}

extension Schema {
    /// The listed values of the schema and its alternatives, and whether the list is complete.
    fileprivate var choices: (values: [String], isClosed: Bool) {
        let alternatives = node["anyOf"]?.children.map(Schema.init) ?? [self]
        let others = alternatives.filter { $0.node["pattern"]?.text != Self.blankPattern }
        let closed = others.compactMap(\.closedValues)
        if closed.count == others.count { return (closed.flatMap(\.self), true) }
        return (others.flatMap { $0.enumeration ?? [] }, false)
    }

    private var closedValues: [String]? {
        node["type"]?.text == "boolean" ? ["true", "false"] : enumeration
    }

    private var enumeration: [String]? { node["enum"]?.children.compactMap(\.text) }

    /// Whether the schema or its first alternative is a number.
    fileprivate var isNumeric: Bool {
        let type = node["type"]?.text ?? node["anyOf"]?.children.first?["type"]?.text
        return type == "number" || type == "integer"
    }

    private static var blankPattern: String? { blankText.node["pattern"]?.text }
}
