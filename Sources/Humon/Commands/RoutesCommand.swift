import HTTP
import Web

/// `humon routes`: lists every route and its summary.
enum RoutesCommand {
    static func run() {
        let routes = Routes.listing()
        let width = routes.map(\.pattern.count).max() ?? 0
        for (method, pattern, summary) in routes {
            let line =
                padded(method.rawValue, to: 8) + padded(pattern, to: width + 2) + summary + "\n"
            Terminal.output.write(line)
        }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
