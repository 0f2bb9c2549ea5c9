import Events
import Testing

@testable import Web

@Suite struct TypeDeclarationsTests {
    private let text = TypeDeclarations.text()

    @Test(
        arguments: [
            "export interface Event {", "export interface EventParameters {",
            "export interface ClusterParameters {", "export interface ChangeParameters {",
            "  address: string | null;", "  tags?: Array<string>;", "  owner: Person;",
            "  events: Array<Event>;", "  data?: Record<string, unknown>;", "  all_day?: boolean;",
            "  result: 'created' | 'signed_in' | 'linked' | 'merged';",
            "  units?: 'km' | 'm' | 'mi';", "  op: string;", "  type: string;",
            "export type NearestEvents = Array<Event> | NoEventsFound;",
        ]
    )
    func `has interfaces for records and unions for lists of values`(line: String) {
        #expect(text.contains("\n\(line)\n"))
    }

    @Test func `has the values of an event's attributes`() {
        #expect(text.contains("\n  status?: \(union(EventStatus.allCases)) | null;\n"))
        #expect(text.contains("\n  visibility?: \(union(EventVisibility.allCases)) | null;\n"))
    }

    @Test func `has no forms, no other systems and nothing without a type`() {
        let generated = text.split(separator: "\ntype Replacing").first ?? ""
        for word in ["Form {", "Task", "Checkin", ": unknown;", "<unknown>", "{ }"] {
            #expect(!generated.contains(word), "\(word)")
        }
    }

    @Test func `has each schema once`() {
        let names = text.split(separator: "\n").filter { $0.hasPrefix("export interface ") }
        #expect(names.count > 30)
        #expect(Set(names).count == names.count)
    }

    private func union(_ values: [some RawRepresentable<String>]) -> String {
        values.map { "'\($0.rawValue)'" }.joined(separator: " | ")
    }
}
