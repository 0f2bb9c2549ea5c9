import Model
import Rules
import Testing

struct UUIDTextTests {
    @Test func `sets version 4 and the variant, and keeps every other bit`() {
        #expect(
            UUIDText.version4(from: Array(repeating: 0, count: 16))
                == "00000000-0000-4000-8000-000000000000"
        )
        #expect(
            UUIDText.version4(from: Array(repeating: 0xFF, count: 16))
                == "ffffffff-ffff-4fff-bfff-ffffffffffff"
        )
        #expect(
            UUIDText.version4(from: Array(0x01...0x10)) == "01020304-0506-4708-890a-0b0c0d0e0f10"
        )
    }

    @Test func `sets version 8 and the variant, and keeps every other bit`() {
        #expect(
            UUIDText.version8(from: Array(repeating: 0, count: 16))
                == "00000000-0000-8000-8000-000000000000"
        )
        #expect(
            UUIDText.version8(from: Array(repeating: 0xFF, count: 16))
                == "ffffffff-ffff-8fff-bfff-ffffffffffff"
        )
    }

    @Test func `makes a device token that is a UUID`() throws {
        #expect(try DeviceToken(UUIDText.version4(from: Array(0xA0...0xAF))).isUUID)
    }
}
