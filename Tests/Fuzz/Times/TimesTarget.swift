import HTTP
import Time

/// Times: what is accepted is in range, and prints and parses to the same.
///
/// The first byte chooses between texts and numbers.
func fuzzTimes(_ input: inout FuzzInput) {
    if input.choice(below: 4) == 3 {
        check(input.integer())
    } else {
        check(input.text())
    }
}

private func check(_ text: String) {
    if let time = Timestamp(parsing: text) {
        expect((Timestamp.earliest...Timestamp.latest).contains(time), "\(text) is \(time)")
        expect(time.text.utf8.count == 24, "\(text) is written as \(time.text)")
        expect(Timestamp(parsing: time.text) == time, "\(text) is written as \(time.text)")
    }
    if let time = WallClock.time(text) {
        let written = WallClock.text(time)
        expect((Timestamp.earliest...Timestamp.latest).contains(time), "\(text) is \(time)")
        expect(WallClock.time(written) == time, "\(text) is written as \(written)")
    }
}

/// Any number of milliseconds is written, those out of range as the nearest in it.
private func check(_ number: Int64) {
    let time = Timestamp(milliseconds: number)
    let nearest = min(max(time, .earliest), .latest)
    expect(Timestamp(parsing: time.text) == nearest, "\(number) is written as \(time.text)")
    let second = WallClock.time(WallClock.text(time))?.milliseconds
    let isSame = second.map { (0..<1000).contains(nearest.milliseconds - $0) } ?? false
    expect(isSame, "\(number) is written as \(WallClock.text(time))")
    expect(HTTPDate.bytes(time).count == 29, "\(number) as an HTTP date")
}
