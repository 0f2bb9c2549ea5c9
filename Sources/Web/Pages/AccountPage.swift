import HTTP
import Model

/// The page at `/account/delete`, where people delete their data without an app or a script.
struct AccountPage: Sendable {
    /// A sentence at the top of the page.
    enum Notice {
        case none
        case deleted
        case error(String)
    }

    private let description: APIDescription
    private let settings: ApplicationSettings
    private let style: String

    init(_ settings: ApplicationSettings) {
        description = APIDescription(of: settings)
        self.settings = settings
        style = PageFiles(style: ["page.css", "account.css"], script: []).style
    }

    /// Returns the page.
    func response(to call: Call, _ status: Status, _ notice: Notice) -> Response {
        let policy = ContentSecurityPolicy.text(ofForms: style)
        let page = OriginTemplate(html(notice).text)
        var response = Response(
            status,
            headers: .ofPage(policy: policy),
            body: page.text(for: call).bytes
        )
        response.headers.append("cache-control", "no-store")
        return response
    }

    private func html(_ notice: Notice) -> HTML {
        let name = settings.appName
        var forms: [HTML] = []
        if case .deleted = notice {
        } else {
            if settings.systems.contains(.humon) { forms.append(codeForm) }
            if settings.systems.contains(.todo) { forms.append(passwordForm) }
        }
        return """
            \(DocumentationPage.head(titled: "\(name): delete your data", style: style))\
            <body class="account">\(.header(description, current: "/account/delete"))<main>\
            <h1>Delete your data</h1><p class="lead">This page deletes what you have stored \
            with \(name) on this server. That can't be undone.</p>\(html(of: notice))\(forms)\
            \(facts)</main></body></html>

            """
    }

    private func html(of notice: Notice) -> HTML {
        switch notice {
        case .none: ""
        case .deleted: "<p role=\"status\">Your data has been deleted.</p>"
        case .error(let message): "<p role=\"alert\">\(message)</p>"
        }
    }

    private var codeForm: HTML {
        """
        <section><h2>With a code</h2><p>In \(settings.appName), open the settings and delete \
        your data there. Without the app, enter the code that its settings have shown.</p>\
        <form method="post"><label>Code<input name="code" required maxlength="64" \
        autocomplete="off" autocapitalize="characters" spellcheck="false"></label>\
        \(confirmation)</form></section>
        """
    }

    private var passwordForm: HTML {
        """
        <section><h2>With e-mail address and password</h2><p>Enter those of your account. They \
        delete the account and its tasks.</p><form method="post"><label>E-mail address\
        <input name="email" type="email" required maxlength="255" autocomplete="username">\
        </label><label>Password<input name="password" type="password" required \
        autocomplete="current-password"></label>\(confirmation)</form></section>
        """
    }

    private var confirmation: HTML {
        """
        <label class="check"><input type="checkbox" name="confirm" value="yes" required> \
        Delete my data for good</label><button>Delete my data</button>
        """
    }

    /// Returns what is deleted, what is kept, and where to ask.
    private var facts: HTML {
        let humon: HTML = """
            <li>Your events with everybody's attendances, your own attendances, your name, your \
            devices and sign-ins, your list of blocked users, and the notes of your reports.</li>
            """
        let todo: HTML = "<li>Your account, its sessions and its tasks.</li>"
        let contact = settings.contactEmail.map { email -> HTML in
            """
            <p>If you have \(hasUsers ? "neither the app nor a code" : "no password any more"), \
            write to <a href="mailto:\(value: email)">\(email)</a>.\
            \(hasUsers ? Self.proof : "")</p>
            """
        }
        let terms = settings.termsURL.map { url -> HTML in
            "<p><a href=\"\(value: url)\">Terms of use</a></p>"
        }
        return """
            <h2>What is deleted</h2><ul>\(settings.systems.contains(.humon) ? humon : "")\
            \(settings.systems.contains(.todo) ? todo : "")</ul><h2>What is kept</h2><ul>\
            <li>A number without a name, and the time of the deletion. If you were banned, the \
            digests of your devices' tokens and your sign-ins, so that a deletion doesn't end the \
            ban.</li><li>The numbers and places of deleted records, for \
            \(Self.time(ofHours: settings.changeHours)) or longer.</li>\
            <li>Responses to repeated requests, which can contain your records, for \
            \(Self.time(ofHours: settings.responseHours)).</li>\
            <li>Backups, \(settings.backupRetention).</li></ul>\(contact ?? "")\(terms ?? "")
            """
    }

    private static func time(ofHours hours: Int) -> String {
        let isDays = hours.isMultiple(of: 24)
        let count = isDays ? hours / 24 : hours
        return "\(count) \(isDays ? "day" : "hour")\(count == 1 ? "" : "s")"
    }

    private static let proof = " Give your user number or the number of one of your events."
    private var hasUsers: Bool { settings.systems.contains(.humon) }
}
