import HTTP
import OpenAPI

/// The form that sends an endpoint's request; it needs the page's script.
struct EndpointForm {
    private let route: APIDescription.Route
    private let path: String
    private var operation: Operation { route.operation }

    init(_ route: APIDescription.Route, path: String) {
        self.route = route
        self.path = path
    }

    /// Appends the form.
    func append(to html: inout HTMLText) {
        html.markup("<form class=\"scripted\" autocomplete=\"off\"")
        html.attribute("data-method", route.method.rawValue)
        html.attribute("data-path", path)
        if let credential = operation.credentials.first { append(credential, to: &html) }
        html.markup("><h4>Try it</h4><div class=\"fields\">")
        for parameter in operation.parameters { append(parameter, to: &html) }
        html.markup("</div>")
        if let body = operation.body { append(body, to: &html) }
        html.markup(
            """
            <button type="submit">Send</button>
            <div class="response" role="status" aria-live="polite"></div></form>
            """
        )
    }

    /// Appends the names of the token and of the header that contains it.
    private func append(_ credential: Credential, to html: inout HTMLText) {
        switch credential.place {
        case .header(let name):
            html.attribute("data-token", "humon-token")
            html.attribute("data-token-field", name)
        case .bearer, .query:
            html.attribute("data-token", "todo-token")
            html.attribute("data-token-field", "Authorization")
            html.attribute("data-token-prefix", "Bearer ")
        }
    }

    private func append(_ parameter: Parameter, to html: inout HTMLText) {
        // The secret has its own field at the top of the page.
        guard parameter.name != "tb-app-secret" else {
            html.markup("<input type=\"hidden\" data-in=\"header\" data-from=\"secret\"")
            html.attribute("name", parameter.name)
            html.markup(">")
            return
        }
        html.element("<label>", parameter.name, "<input type=\"text\"")
        html.attribute("name", parameter.name)
        html.attribute("data-in", parameter.place.rawValue)
        if let example = parameter.example { html.attribute("value", example) }
        if parameter.isRequired { html.markup(" required") }
        html.markup("></label>")
    }

    private func append(_ body: RequestBody, to html: inout HTMLText) {
        html.markup("<label>Body type<select name=\"type\">")
        for content in body.contents {
            html.markup("<option")
            html.attribute("value", content.mediaType)
            html.attribute("data-example", content.example ?? "")
            html.element(">", content.mediaType, "</option>")
        }
        html.markup("</select></label><label>Body<textarea name=\"body\" rows=\"4\">")
        html.element("", body.contents.first?.example ?? "", "</textarea></label>")
    }
}
