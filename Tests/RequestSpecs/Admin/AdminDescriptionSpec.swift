import HTTP
import JSON
import Model
import Support
import Testing

@testable import Web

/// `/admin/v1/openapi.json`, and the files of the page.
@Suite struct AdminDescriptionSpec {
    @Test(arguments: Driver.allCases)
    func `has each route of the API, with words on it`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let text = try await server.description()
            let document = try JSONParser.parse(text.utf8.span, maximumDepth: 64)
            var (described, ids): ([String], [String]) = ([], [])
            for path in document["paths"]?.members ?? [] {
                let named = path.key.split(separator: "{").dropFirst()
                    .map { String($0.prefix { $0 != "}" }) }
                for operation in path.value.members {
                    described.append("\(operation.key.uppercased()) \(path.key)")
                    ids.append(operation.value["operationId"]?.text ?? "")
                    #expect(operation.value["summary"]?.text?.isEmpty == false)
                    let parameters = operation.value["parameters"]?.elements ?? []
                    for parameter in parameters {
                        #expect(parameter["description"]?.text?.isEmpty == false)
                    }
                    let inPath = parameters.filter { $0["in"]?.text == "path" }
                    #expect(inPath.compactMap { $0["name"]?.text } == named, "\(path.key)")
                    let isOpen = ["signIn", "downloadBackup"].contains(ids.last)
                    #expect((operation.value["security"] == nil) == isOpen, "\(ids)")
                }
            }

            let routes = AdminRoutes.all.filter { $0.operation != nil }.map { route in
                "\(route.method.rawValue) "
                    + route.pattern.replacing(/:([a-z]+)/) { "{\($0.output.1)}" }
            }
            #expect(Set(described) == Set(routes))
            #expect(Set(ids).count == ids.count && !ids.contains(""))
            #expect(document["openapi"]?.text?.hasPrefix("3.1") == true)
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows the page, which says only what it needs before sign-in`(
        driver: Driver
    ) async throws {
        try await withAdminServer(driver) { server in
            let uuid = try await server.stores.installation.uuid()

            let page = try await server.send("GET", "/")

            #expect(page.status == 200)
            #expect(page.fields == ["content-type": "text/html; charset=utf-8"])
            #expect(page.body.contains(#"<meta name="admins" content="none">"#))
            let name = TestStorage.ofEnvironment.rawValue
            #expect(page.body.contains(#"<meta name="database" content="\#(name)">"#))
            let digits = page.body.firstMatch(of: /name="installation" content="([0-9a-f]{8})"/)
            #expect(digits != nil)
            #expect(!page.body.contains(uuid) && !page.body.contains("1.2.3"))
            _ = try await server.token()
            let later = try await server.send("GET", "/")
            #expect(!later.body.contains(#"content="none""#))
            for (path, type) in [
                ("/page.css", "text/css"), ("/admin/admin.html", "text/html"),
                ("/map/map.js", "text/javascript"), ("/map/mercator.js", "text/javascript"),
            ] {
                let file = try await server.send("GET", path)
                #expect(file.fields["content-type"]?.hasPrefix(type) == true, "\(path)")
                let head = try await server.send("HEAD", path)
                #expect(head == Answer(200, file.fields), "\(path)")
            }
        }
    }
}
