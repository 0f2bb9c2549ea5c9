import Model
import Testing

@testable import Web

/// Cursors of changes are the positions and the filters that they were made of.
@Suite struct ChangeCursorTests {
    @Test(
        arguments: [
            ("5e8c01f7-1042-dc76", ChangePosition(log: "5e8c01f7", number: 1042)),
            (
                "5e8c01f7-0.1.0-dc76",
                ChangePosition(log: "5e8c01f7", number: 0, snapshot: .init(part: 1, ids: [0]))
            ),
            (
                "5e8c01f7-9223372036854775807.3.7.9223372036854775807-dc76",
                ChangePosition(
                    log: "5e8c01f7",
                    number: .max,
                    snapshot: .init(part: 3, ids: [7, .max])
                )
            ),
        ]
    )
    func `reads what it writes`(text: String, position: ChangePosition) throws {
        let cursor = try #require(ChangeCursor.read(text))

        #expect(cursor.position == position && cursor.digits == "dc76")
        #expect(ChangeCursor.text(of: position, digits: "dc76") == text)
    }

    @Test(
        arguments: [
            "", "-", "--", "5e8c01f7-1042", "5e8c01f7-1042-dc76-", "5e8c01f7--dc76",
            "5e8c01f-1042-dc76", "5e8c01f7-1042-dc7", "5E8C01F7-1042-dc76", "5e8c01f7-1042-DC76",
            "5e8c01fg-1042-dc76", "5e8c01f7-+1-dc76", "5e8c01f7--1-dc76", "5e8c01f7-1.-dc76",
            "5e8c01f7-1.1-dc76", "5e8c01f7-1.4.1-dc76", "5e8c01f7-1.0.1-dc76",
            "5e8c01f7-1.1.1.1.1-dc76", "5e8c01f7-10000000000000000000-dc76",
            "5e8c01f7-00000000000000000001-dc76", "5e8c01f7-１-dc76", "5e8c01f7-1042-dc76 ",
        ]
    )
    func `rejects everything else`(text: String) {
        #expect(ChangeCursor.read(text) == nil)
    }

    @Test(arguments: ["9223372036854775808", "9999999999999999999"])
    func `reads numbers that no log has`(number: String) throws {
        let cursor = try #require(ChangeCursor.read("5e8c01f7-\(number).1.\(number)-dc76"))

        let snapshot = ChangePosition.Snapshot(part: 1, ids: [.max])
        #expect(
            cursor.position == ChangePosition(log: "5e8c01f7", number: .max, snapshot: snapshot)
        )
    }

    @Test func `tells filters and users apart`() {
        #expect(
            ChangeCursor.digits(of: "lat=37.788&lon=-122.4&radius=5", userID: nil) == "dc76"
        )
        let users = (1...1000).map { ChangeCursor.digits(of: "mine=1", userID: $0) }
        // Random digits of 65,536 would coincide for about 8 pairs.
        #expect(Set(users).count > 980)
    }
}
