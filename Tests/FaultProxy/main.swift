// Stands between a client under test and `humon test-server`, and makes requests fail as networks do.
// It ends when standard input is closed. See docs/testing.md.

import Glibc
import JSON

let flags = CommandLine.arguments.dropFirst()
func value(of flag: String) -> String? {
    flags.firstIndex(of: flag).flatMap { flags[$0...].dropFirst().first }
}
guard let target = value(of: "--target"),
    let listener = Wire("127.0.0.1:0", listens: true),
    let other = Wire("127.0.0.1:0", listens: true),
    let control = Wire("127.0.0.1:0", listens: true)
else {
    print("Usage: FaultProxy --target 127.0.0.1:PORT [--seed N]")
    exit(64)
}
// JavaScript's numbers are exact up to this.
let seed = value(of: "--seed").flatMap(UInt64.init) ?? UInt64.random(in: 0..<(1 << 53))
let otherURL = "http://localhost:\(other.port)"
let proxy = Proxy(target: target, otherURL: otherURL, seed: seed)
try listener.serve { proxy.respond(to: $0, on: $1) }
try control.serve { $1.send(proxy.obey($0), to: $0) }
// Some systems resolve `localhost` to ::1 first.
for wire in [other, Wire("::1:\(other.port)", listens: true)] {
    try wire?.serve { $1.send(proxy.respondAsOther(to: $0), to: $0) }
}
var line = JSONWriter()
line.object {
    $0.field("url", "http://127.0.0.1:\(listener.port)")
    $0.field("other", otherURL)
    $0.field("control", "http://127.0.0.1:\(control.port)")
    $0.field("seed", Int64(clamping: seed))
}
print(String(decoding: line.bytes, as: UTF8.self))
fflush(nil)
while readLine() != nil {}
