import HTTP
import Web

/// `humon routes`: lists every route.
enum RoutesCommand {
    static func run() {
        for (method, pattern) in Routes.listing() {
            let name = method.rawValue
            let padding = String(repeating: " ", count: max(0, 8 - name.count))
            Terminal.output.write("\(name)\(padding)\(pattern)\n")
        }
    }
}
