import CSQLite

/// A function of numbers that the program adds to SQL, for example for a migration.
///
/// Only statements of the program can call it, not the schema of a database (`SQLITE_DIRECTONLY`).
/// So every database remains usable without it
/// (<https://sqlite.org/c3ref/create_function.html>).
package struct SQLFunction: Sendable {
    let name: String
    let argumentCount: Int
    let body: @Sendable ([Double]) -> Int64?

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: The name in SQL.
    ///   - argumentCount: The number of arguments. If one of them is NULL, so is the result.
    ///   - body: Returns the result, or nil for NULL. It must depend on the arguments alone.
    package init(
        _ name: String,
        argumentCount: Int,
        body: @escaping @Sendable ([Double]) -> Int64?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.body = body
    }
}

extension Handle {
    /// Makes a function available to the statements of this connection.
    func add(_ function: SQLFunction) throws(SQLiteError) {
        guard let count = Int32(exactly: function.argumentCount) else {
            throw SQLiteError(code: .misuse, message: "too many arguments of \(function.name)")
        }
        let body = FunctionBody(function.body)
        try check(
            unsafe sqlite3_create_function_v2(
                pointer,
                function.name,
                count,
                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                // SQLite releases it with the connection, and also if this call fails.
                Unmanaged.passRetained(body).toOpaque(),
                { context, count, arguments in
                    unsafe FunctionBody.call(context, count, arguments)
                },
                nil,
                nil,
                { body in
                    guard let body = unsafe body else { return }
                    unsafe Unmanaged<FunctionBody>.fromOpaque(body).release()
                }
            )
        )
    }
}

/// The body of a function as an object, to which SQLite has a pointer.
private final class FunctionBody {
    private let body: @Sendable ([Double]) -> Int64?

    init(_ body: @escaping @Sendable ([Double]) -> Int64?) {
        self.body = body
    }

    static func call(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let data = unsafe sqlite3_user_data(context) else { return }
        var numbers: [Double] = []
        for index in 0..<Int(count) {
            guard let argument = unsafe arguments?[index] else { return }
            // The result is NULL unless it is set.
            guard unsafe sqlite3_value_type(argument) != SQLITE_NULL else { return }
            numbers.append(unsafe sqlite3_value_double(argument))
        }
        let function = unsafe Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue()
        guard let result = function.body(numbers) else { return }
        unsafe sqlite3_result_int64(context, result)
    }
}
