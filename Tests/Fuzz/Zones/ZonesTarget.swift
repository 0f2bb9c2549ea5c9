import Events
import Time

/// Fuzzes time zones: offsets and instants are in range, and no window ends before its start.
///
/// The first byte selects a zone's file, the rule at the end of a file, the name of a zone, a time
/// in a zone, or a window in words.
func fuzzZones(_ input: inout FuzzInput) {
    switch input.choice(below: 5) {
    case 0: if let zone = TimeZone(file: input.rest()) { check(zone) }
    case 1: if let zone = TimeZone(file: file(withRule: input.rest())) { check(zone) }
    case 2: if let zone = catalog.zone(named: input.text()) { check(zone) }
    case 3:
        let zone = zone(input.choice(below: 4))
        check(input.text(), in: zone)
    default:
        let zone = zone(input.choice(below: 4))
        let now = Timestamp(milliseconds: input.integer())
        check(input.text(), at: now, in: zone)
    }
}

private let catalog = TimeZoneCatalog()

/// A zone of each kind: UTC, an offset, and summer time in the north and in the south.
private func zone(_ choice: Int) -> TimeZone {
    let names = ["UTC", "+05:45", "Europe/Berlin", "America/Santiago"]
    guard let zone = catalog.zone(named: names[choice]) else {
        finding("The zone \(names[choice]) is missing: install tzdata.")
    }
    return zone
}

/// A file with no transitions, and a rule.
private func file(withRule rule: [UInt8]) -> [UInt8] {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15 + 16)
    let block = header + [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 7)
    return block + block + Array("\n".utf8) + rule + Array("\n".utf8)
}

private func check(_ zone: TimeZone) {
    let numbers = [Int64.min, -62_135_596_800_000, -1, 0, 1_774_746_000_000, 95_617_584_000_000]
    for number in numbers + [.max] {
        let instant = Timestamp(milliseconds: number)
        let offset = zone.offset(at: instant)
        expect((-89_999...93_599).contains(offset), "the offset at \(number) is \(offset)")
        let local = zone.local(at: instant)
        let found = zone.instant(ofLocal: local)
        let range = Timestamp.earliest...Timestamp.latest
        let isClamped = !range.contains(instant) || !range.contains(local)
        expect(isClamped || zone.local(at: found) == local, "the local time of \(number)")
        expect(isClamped || found <= instant, "the first instant of the local time of \(number)")
    }
}

private func check(_ text: String, in zone: TimeZone) {
    let time = Timestamp(parsing: text, in: zone)
    if let time {
        expect((Timestamp.earliest...Timestamp.latest).contains(time), "\(text) is \(time)")
    }
    guard let parsed = TimeText(text) else { return }
    if parsed.offset != nil || zone == .utc {
        expect(time == Timestamp(parsing: text), "\(text) is \(String(describing: time))")
    }
}

private func check(_ words: String, at now: Timestamp, in zone: TimeZone) {
    guard let window = EventWindow(words: words, now: now, zone: zone) else { return }
    guard let from = window.from else { finding("\(words) has no start") }
    expect((Timestamp.earliest...Timestamp.latest).contains(from), "\(words) begins at \(from)")
    let isValid = window.to.map { (from...Timestamp.latest).contains($0) } ?? true
    expect(isValid, "\(words) is \(window)")
    expect(window.includesOngoing, "\(words) is \(window)")
}
