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

    /// The fields; they are the same for endpoints with the same fields.
    var fields: HTML {
        let credential = PageCredential.needed(by: operation).map(field) ?? ""
        let parameters = operation.formParameters
        var folded: HTML = ""
        if !parameters.folded.isEmpty {
            folded = """
                <details class="more"><summary>\(String(parameters.folded.count)) more parameters\
                </summary><div>\(parameters.folded.map { field($0, isFolded: true) })</div>\
                </details>
                """
        }
        // The optional token comes last, because few requests need it.
        return """
            \(operation.isOpen ? "" : credential)\
            \(parameters.shown.map { field($0, isFolded: false) })\(folded)\
            \(operation.isOpen ? credential : "")\(operation.body.map(field) ?? "")
            """
    }

    private func field(_ credential: PageCredential) -> HTML {
        let name: HTML =
            switch operation.credentials.first?.place {
            case .header(let name): "name=\"\(value: name)\""
            case .bearer, .query: "name=\"Authorization\" data-prefix=\"Bearer \""
            case nil: "name=\"\(value: PageCredential.secretHeader)\""
            }
        return """
            \(label(credential.name, operation.isOpen ? "optional" : "", hint: credential.source))\
            <input data-in="header" data-credential="\(value: credential.rawValue)"\
            \(operation.isOpen ? " data-optional" : "") \(name)></div>
            """
    }

    private func field(_ parameter: Parameter, isFolded: Bool) -> HTML {
        let note = parameter.place.rawValue + (parameter.isRequired ? ", required" : "")
        let choices = parameter.schema.choices
        let beginning: HTML = """
            \(label(parameter.name, note, hint: parameter.meaning))\
            <\(choices.isEmpty ? "input" : "select") \
            name="\(value: parameter.name)" data-in="\(value: parameter.place.rawValue)"\
            \(parameter.isRequired ? " required" : "")
            """
        if !choices.isEmpty {
            let options = choices.map { choice -> HTML in
                let isSelected = !isFolded && choice == parameter.example
                return "<option\(isSelected ? " selected" : "")>\(choice)</option>"
            }
            return "\(beginning)><option value=\"\">Default</option>\(options)</select></div>"
        }
        // A value in a collapsed field would be sent without the user seeing it.
        let example = parameter.example.map { example -> HTML in
            " \(isFolded ? "placeholder" : "value")=\"\(value: example)\""
        }
        return """
            \(beginning)\(example ?? "")\
            \(parameter.schema.isNumeric ? " inputmode=\"decimal\"" as HTML : "")></div>
            """
    }

    /// Returns the field of a body; the description has its types and examples.
    private func field(_ body: RequestBody) -> HTML {
        """
        \(label("Body", body.isRequired ? "required" : "", hint: body.meaning))\
        <textarea name="body"></textarea></div>
        """
    }

    /// Returns the beginning of a field.
    private func label(_ name: String, _ note: String, hint: String) -> HTML {
        let note: HTML = note.isEmpty ? "" : " <small>\(note)</small>"
        let hint: HTML = hint.isEmpty ? "" : "<p>\(.prose(hint))</p>"
        return "<div class=\"field\"><label>\(name)\(note)</label>\(hint)"
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
    /// The values of the schema if it lists them; otherwise empty.
    fileprivate var choices: [String] {
        node["type"]?.text == "boolean"
            ? ["true", "false"] : node["enum"]?.children.compactMap(\.text) ?? []
    }
}
