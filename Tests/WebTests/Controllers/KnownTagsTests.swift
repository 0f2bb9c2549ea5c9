import Events
import Testing

@testable import Web

@Suite struct KnownTagsTests {
    private static func key(_ link: String) -> KnownTags.Key {
        KnownTags.Key(format: .json, link: link, from: nil, to: nil, userID: nil)
    }

    @Test func `knows a tag while the events are the same`() {
        let tags = KnownTags()
        let key = Self.key("/v1/events")
        tags.remember("\"a\"", of: key, at: EventsState(1))

        #expect(tags.tag(of: key, at: EventsState(1)) == "\"a\"")
        #expect(tags.tag(of: key, at: EventsState(2)) == nil)
        #expect(tags.tag(of: Self.key("/v1/events.json"), at: EventsState(1)) == nil)
    }

    @Test(arguments: [(KnownTags.maximumLinkBytes, "\"a\""), (KnownTags.maximumLinkBytes + 1, nil)])
    func `forgets links that take much memory`(count: Int, tag: String?) {
        let tags = KnownTags()
        let key = Self.key(String(repeating: "x", count: count))
        tags.remember("\"a\"", of: key, at: EventsState(1))

        #expect(tags.tag(of: key, at: EventsState(1)) == tag)
    }
}
