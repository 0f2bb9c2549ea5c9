import Foundation
import HumonClient
import HumonOutbox
import Randomness

/// A device that writes through an outbox, and continues after it was killed.
struct Device {
    let outbox: Outbox
    let journal: Journal
    let label: String

    /// The number of the calls that have begun.
    var count: Int { journal.lines.count { $0.operation != nil } }

    /// Calls one function of the outbox, with its begin and its end in the journal.
    func perform(_ operation: Journal.Line.Operation, on target: Int? = nil) async throws {
        let number = count
        try journal.add(.init(number: number, operation: operation, target: target))
        let record = try await call(operation, number, target)
        try journal.add(.init(number: number, record: record))
    }

    private func call(
        _ operation: Journal.Line.Operation,
        _ number: Int,
        _ target: Int?
    ) async throws -> UUID? {
        let record = target.flatMap(record(of:))
        var made: Record?
        switch (operation, record) {
        case (.create, _): made = try await outbox.create(draft(number, latitude: 51))
        case (.createInvalid, _): made = try await outbox.create(draft(number, latitude: 91))
        case (.update, let record?): try await outbox.update(record, changes("\(number)"))
        case (.updateInvalid, let record?): try await outbox.update(record, changes(""))
        case (.delete, let record?): try await outbox.delete(record)
        case (.attend, let record?): made = try await outbox.attend(record)
        case (.cancel, let record?): try await outbox.cancel(record)
        case (.replace, let record?):
            guard let entry = try await rejected(of: record) else { break }
            var changes = changes("\(number)")
            changes.coordinate = .set(Coordinate(latitude: 51, longitude: 3))
            try await outbox.replace(entry.id, with: changes)
        case (.discard, let record?):
            guard let entry = try await rejected(of: record) else { break }
            try await outbox.discard(entry.id)
        case (_, nil): break
        }
        if case .local(let uuid) = made { return uuid }
        return nil
    }

    /// Returns the rejected entry of a record.
    func rejected(of record: Record) async throws -> Entry? {
        let id = try await outbox.id(of: record)
        return try await outbox.entries.first { entry in
            entry.error != nil && (entry.record == record || entry.record == id.map(Record.stored))
        }
    }

    private func draft(_ number: Int, latitude: Double) -> EventDraft {
        var draft = EventDraft(
            name: "\(number)",
            at: Coordinate(latitude: latitude, longitude: 3),
            startedAt: Date(timeIntervalSince1970: 2_095_956_000 + Double(number))
        )
        // By this, the script knows the event whatever its name is.
        draft.address = "\(label)/\(number)"
        return draft
    }

    private func changes(_ name: String) -> EventChanges {
        var changes = EventChanges()
        changes.name = .set(name)
        return changes
    }

    private func record(of number: Int) -> Record? {
        journal.lines.first { $0.number == number && $0.record != nil }?.record.map(Record.local)
    }

    /// Makes random writes until there are this many.
    func write(_ total: Int, using generator: inout SeededGenerator) async throws {
        while count < total {
            let (operation, target) = choose(using: &generator)
            if operation == .replace || operation == .discard {
                guard let record = target.flatMap(record(of:)),
                    try await rejected(of: record) != nil
                else { continue }
            }
            try await perform(operation, on: target)
            try await Task.sleep(for: .milliseconds(.random(in: 0...100, using: &generator)))
        }
    }

    /// Returns a random operation, and the record that it is about.
    private func choose(
        using generator: inout SeededGenerator
    ) -> (Journal.Line.Operation, Int?) {
        let ended = Set(journal.lines.filter { $0.operation == nil }.map(\.number))
        let begun = journal.lines.filter { $0.operation != nil }
        // What a killed call was about is left alone, so that there are few possible results.
        let closed = Set(begun.filter { !ended.contains($0.number) }.compactMap(\.target))
        func made(by operations: Set<Journal.Line.Operation>) -> [Int] {
            begun.filter { operations.contains($0.operation ?? .delete) }.map(\.number)
                .filter { ended.contains($0) && !closed.contains($0) }
        }
        func named(by operations: Set<Journal.Line.Operation>) -> Set<Int> {
            Set(begun.filter { operations.contains($0.operation ?? .create) }.compactMap(\.target))
        }
        let gone = named(by: [.delete, .discard])
        let events = made(by: [.create, .createInvalid]).filter { !gone.contains($0) }
        let free = events.filter { !named(by: [.attend]).contains($0) }
        // The attendances of a discarded event are gone, too.
        let discarded = named(by: [.discard])
        let lost = begun.filter { discarded.contains($0.target ?? -1) }.map(\.number)
        let attendances = made(by: [.attend]).filter {
            !named(by: [.cancel]).contains($0) && !lost.contains($0)
        }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<35: return (.create, nil)
        case 35..<40: return (.createInvalid, nil)
        case let choice:
            let list = choice < 75 || choice >= 90 ? events : choice < 85 ? free : attendances
            guard let target = list.randomElement(using: &generator) else { return (.create, nil) }
            return switch choice {
            case ..<60: (.update, target)
            case ..<65: (.updateInvalid, target)
            case ..<75: (.delete, target)
            case ..<85: (.attend, target)
            case ..<90: (.cancel, target)
            case ..<95: (.replace, target)
            default: (.discard, target)
            }
        }
    }

    /// The writes that are interrupted at each statement; each has its place in the journal.
    func runScenario() async throws {
        let steps: [(Journal.Line.Operation, Int?)] = [
            (.create, nil), (.update, 0), (.attend, 0), (.createInvalid, nil), (.update, 3),
            (.create, nil), (.delete, 5), (.cancel, 2), (.replace, 3), (.createInvalid, nil),
            (.attend, 9), (.discard, 9), (.updateInvalid, 0), (.update, 0), (.discard, 0),
        ]
        for (operation, target) in steps.dropFirst(count) {
            if operation == .replace || operation == .discard { try await settle() }
            try await perform(operation, on: target)
        }
    }

    /// Waits until nothing is left to send.
    ///
    /// Then only rejected entries are there, and those that wait for them.
    func settle() async throws {
        let news = outbox.news
        await outbox.drain()
        if try await isSettled() { return }
        for await item in news where item == .idle {
            if try await isSettled() { return }
        }
    }

    private func isSettled() async throws -> Bool {
        var rejected: Set<Record> = []
        for entry in try await outbox.entries {
            if entry.error != nil { rejected.insert(entry.record) }
        }
        return try await outbox.entries.allSatisfy { entry in
            rejected.contains(entry.record) || entry.kind == .attend || entry.kind == .cancel
        }
    }
}
