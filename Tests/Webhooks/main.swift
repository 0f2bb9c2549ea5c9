// Gives messages to Receiver.swift: a line of standard input is a message as JSON, and a line of
// standard output, after the first, is the status. A web framework does this in an app.

import Foundation

struct Line: Decodable {
    let id, timestamp, signature: String
    let body: Data
}

let environment = ProcessInfo.processInfo.environment
let file = URL(fileURLWithPath: "mirror.json")
guard let receiver = try Receiver(secret: environment["HUMON_WEBHOOK_SECRET"] ?? "", file: file)
else { fatalError("The secret is malformed.") }
print("ready")
fflush(nil)
while let text = readLine() {
    let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
    let head = Receiver.Head(id: line.id, timestamp: line.timestamp, signature: line.signature)
    print((try? await receiver.receive(head, line.body)) ?? 500)
    fflush(nil)
}
