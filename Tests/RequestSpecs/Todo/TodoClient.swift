import Foundation
import Support

/// The Todo app: what it sends, and how it reads an answer.
enum TodoClient {
    typealias Parameter = AFNetworkingEncoder.Parameter

    /// What would end the app.
    struct CrashError: Error {
        let reason: String
    }

    /// A task as the app keeps it.
    struct Task: Equatable {
        let id: Int
        let title: String
        let isCompleted: Bool
    }

    /// Somebody who is signed in.
    struct Account: Equatable {
        let id: Int
        let token: String
    }

    // MARK: What it sends

    /// Parameters travel in the query of GET, HEAD and DELETE, and else in the body.
    static func request(
        _ method: String,
        _ path: String,
        _ parameters: [String: Parameter] = [:]
    ) -> TestRequest {
        let form = AFNetworkingEncoder.encode(parameters)
        guard !["GET", "HEAD", "DELETE"].contains(method) else {
            return TestRequest(method, form.isEmpty ? path : "\(path)?\(form)", fields)
        }
        let type: KeyValuePairs = [
            "Accept-Language": "en;q=1, es;q=0.9",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
        ]
        return TestRequest(method, path, type, body: form)
    }

    private static let fields: KeyValuePairs = ["Accept-Language": "en;q=1, es;q=0.9"]

    static func signUp(_ email: String, _ password: String, name: String = "") -> TestRequest {
        let user = ["email": email, "name": name, "password": password].mapValues(Parameter.text)
        return request("POST", "/v1/users.json", ["user": .dictionary(user)])
    }

    static func signIn(_ email: String, _ password: String) -> TestRequest {
        let user = ["email": email, "password": password].mapValues(Parameter.text)
        return request("POST", "/v1/users/sign_in.json", ["user": .dictionary(user)])
    }

    static func signOut(_ token: String) -> TestRequest {
        request("DELETE", "/v1/users/sign_out.json", ["authentication_token": .text(token)])
    }

    static func tasks(_ token: String) -> TestRequest {
        request("GET", "/v1/tasks.json", ["authentication_token": .text(token)])
    }

    /// The app sends the token twice: it writes it into the URL itself, without escaping it.
    static func create(_ title: String, _ token: String) -> TestRequest {
        request(
            "POST",
            "/v1/tasks.json?authentication_token=\(token)",
            ["authentication_token": .text(token), "task": .dictionary(["title": .text(title)])]
        )
    }

    static func complete(_ id: Int, _ isCompleted: Bool, _ token: String) -> TestRequest {
        request(
            "PUT",
            "/v1/tasks/\(id).json",
            [
                "authentication_token": .text(token),
                "task": .dictionary(["completed": .number(isCompleted ? 1 : 0)]),
            ]
        )
    }

    static func delete(_ id: Int, _ token: String) -> TestRequest {
        request("DELETE", "/v1/tasks/\(id).json", ["authentication_token": .text(token)])
    }

    // MARK: How it reads

    /// Whether the app takes the answer for a success: 200 to 299, of a JSON type or with nothing.
    static func succeeds(_ answer: Answer) -> Bool {
        let type = answer.fields["content-type"]?.split(separator: ";").first
        return (200...299).contains(answer.status)
            && (answer.body.isEmpty || type == "application/json")
    }

    /// Whom a sign-up or sign-in has signed in.
    static func account(in answer: Answer) throws -> Account {
        let members = try dictionary(json(answer))
        return Account(
            id: try number(members["id"]).intValue,
            token: try text(members["authentication_token"])
        )
    }

    static func tasks(in answer: Answer) throws -> [Task] {
        guard let elements = try json(answer) as? [Any] else {
            throw CrashError(reason: "objectAtIndex: sent to something else")
        }
        return try elements.map(task)
    }

    static func task(in answer: Answer) throws -> Task {
        try task(json(answer))
    }

    private static func task(_ value: Any) throws -> Task {
        let members = try dictionary(value)
        return Task(
            id: try number(members["id"]).intValue,
            title: try text(members["title"]),
            // boolValue
            isCompleted: try number(members["completed"]).boolValue
        )
    }

    private static func json(_ answer: Answer) throws -> Any {
        guard succeeds(answer) else { throw CrashError(reason: "no success: \(answer)") }
        return try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
    }

    private static func dictionary(_ value: Any) throws -> [String: Any] {
        guard let dictionary = value as? [String: Any] else {
            throw CrashError(reason: "objectForKey: sent to \(value)")
        }
        return dictionary
    }

    private static func number(_ value: Any?) throws -> NSNumber {
        guard let number = value as? NSNumber else {
            throw CrashError(reason: "integerValue sent to \(value ?? "nil")")
        }
        return number
    }

    private static func text(_ value: Any?) throws -> String {
        guard let text = value as? String else {
            throw CrashError(reason: "length sent to \(value ?? "nil")")
        }
        return text
    }
}

extension TestServer {
    /// Somebody who has just signed up with the app.
    func signUpForTodo(
        _ email: String = "ana@example.com",
        _ password: String = "correct horse"
    ) async throws -> TodoClient.Account {
        try TodoClient.account(in: await send(TodoClient.signUp(email, password)))
    }

    /// The task that the account has just made with the app.
    func createTask(
        _ title: String,
        _ account: TodoClient.Account
    ) async throws -> TodoClient.Task {
        try TodoClient.task(in: await send(TodoClient.create(title, account.token)))
    }
}

extension Answer {
    static let needsSignIn = json(
        401,
        #"{"error":"You need to sign in or sign up before continuing."}"#,
        ["www-authenticate": #"Bearer realm="Todo""#]
    )
    static let unknownAccessToken = json(
        401,
        #"{"error":"Invalid authentication token."}"#,
        ["www-authenticate": #"Bearer realm="Todo", error="invalid_token""#]
    )
    static let wrongCredentials = json(
        401,
        #"{"error":"Invalid email or password."}"#,
        ["www-authenticate": #"Bearer realm="Todo""#]
    )
    static let todoNotFound = json(404, #"{"status":"404","error":"Not Found"}"#)
    static let badRequest = json(400, #"{"status":"400","error":"Bad Request"}"#)

    /// What is wrong with the attributes, as the object's JSON.
    static func unprocessable(_ errors: String) -> Answer { json(422, errors) }

    /// The body with `T` for each time, and `K` for each access token.
    var template: String {
        body
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z/, with: "T")
            .replacing(/"[A-Za-z0-9]{20}"/, with: "\"K\"")
    }
}
