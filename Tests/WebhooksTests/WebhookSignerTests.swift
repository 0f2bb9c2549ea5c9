import HTTPClient
import Model
import Testing
import Time

@testable import Webhooks

@Suite struct WebhookSignerTests {
    /// The example of the contract, whose signature Standard Webhooks' own libraries verify.
    @Test func `signs the documented example`() throws {
        let signer = WebhookSigner(key: Array(0...0x1F))
        let salt: [UInt8] = Array(0x10...0x1F)
        #expect(
            signer.secret(of: 3, salt: salt)
                == "whsec_EKvrgPTPPyfCD2vWoMEKONyW68Bqi7L1EhGVrdVl798="
        )
        let body = """
            {"type":"changes","timestamp":"2026-11-28T10:15:00.000Z","data":{"webhook":3,\
            "changes":[{"op":"leave","type":"event","id":5}]}}
            """
        let webhook = Webhook.example(id: 3, salt: salt)
        let fields = signer.fields(
            of: webhook,
            id: "msg_5e8c01f7_3_1046",
            body: Array(body.utf8),
            at: Timestamp(milliseconds: 1_795_860_901_999)
        )
        #expect(
            fields == [
                "webhook-id: msg_5e8c01f7_3_1046", "webhook-timestamp: 1795860901",
                "webhook-signature: v1,BQypiSCNP/hwQcSXt8HKxeUH2gLLXZL8RobKCA01qCA=",
            ]
        )
    }

    @Test func `signs with the former secret until it ends`() {
        let signer = WebhookSigner(key: Array(0...0x1F))
        let (old, new) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        let end = Timestamp(milliseconds: 1_000_000)
        func signatures(at milliseconds: Int64, former: [UInt8]?, salt: [UInt8]) -> [Substring] {
            let webhook = Webhook.example(
                id: 1,
                salt: salt,
                former: former.map { Webhook.FormerSecret(salt: $0, until: end) }
            )
            return signer.fields(
                of: webhook,
                id: "msg_1",
                body: [],
                at: Timestamp(milliseconds: milliseconds)
            ).last.map { $0.split(separator: " ").dropFirst() }.map(Array.init) ?? []
        }
        let ofNew = signatures(at: 999_999, former: nil, salt: new)
        let ofOld = signatures(at: 999_999, former: nil, salt: old)
        #expect(signatures(at: 999_999, former: old, salt: new) == ofNew + ofOld)
        #expect(signatures(at: 1_000_000, former: old, salt: new).count == 1)
    }
}

extension Webhook {
    /// A webhook at the beginning of a log.
    static func example(
        id: Int64,
        salt: [UInt8],
        former: FormerSecret? = nil
    ) -> Webhook {
        Webhook(
            id: id,
            Settings(
                url: "https://push.example.com:8443/humon?key=a",
                salt: salt,
                kinds: [.event],
                filter: "",
                batch: 100,
                allowsPrivate: false
            ),
            former: former,
            createdAt: Timestamp(milliseconds: 0),
            Progress(after: ChangePosition(log: "5e8c01f7", number: 0))
        )
    }
}
