import Model
import Testing

@Suite struct AccessTokenTests {
    @Test func `has 20 letters and digits`() {
        var next: UInt8 = 0
        let token = AccessToken.make { count in
            (0..<count).map { _ in
                defer { next &+= 1 }
                return next
            }
        }

        #expect(token == "ABCDEFGHIJKLMNOPQRST")
    }

    @Test func `uses no byte that would make some characters likelier`() {
        var calls = 0
        let token = AccessToken.make { count in
            calls += 1
            // 247 is 4 times 62 less 1; from 248 on the first characters would come a fifth time.
            return (0..<count).map { index in index < 10 ? [248, 255][index % 2] : 247 }
        }

        #expect(calls == 2)
        #expect(token == String(repeating: "9", count: 20))
    }
}
