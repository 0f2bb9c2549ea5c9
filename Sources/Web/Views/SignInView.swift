import Formats
import HTTP
import JSON
import Model
import Time

/// Responses about sign-ins, devices and identities.
package enum SignInView {
    /// Returns the response to a sign-in; no other one contains the token.
    static func response(_ token: String, userID: Int64, _ result: SignInResult) -> Response {
        .object(.ok) { fields in
            fields.field("auth_token", token)
            fields.field("id", userID)
            fields.field("result", result.rawValue)
        }
    }

    /// Returns the response that asks what happens to the records of a device.
    static func undecided(_ device: DeviceRecords, userID: Int64) -> Response {
        .object(.conflict) { fields in
            fields.field(
                "message",
                "This sign-in belongs to another user. Send merge=true to move this device's "
                    + "records to that user, or merge=false to leave them."
            )
            fields.object("device") { fields in
                fields.field("id", device.userID)
                fields.field("events", device.events)
                fields.field("attendances", device.attendances)
            }
            fields.object("user") { $0.field("id", userID) }
        }
    }

    static func response(_ devices: [Device]) -> Response {
        .object(.ok) { fields in
            fields.array("devices", devices) { json, device in
                json.object { fields in
                    fields.field("id", device.id)
                    fields.field("name", device.name)
                    fields.field("created_at", device.createdAt)
                    fields.field("last_seen_on", device.lastSeenOn.map(Self.day))
                    fields.field("current", device.isCurrent)
                }
            }
        }
    }

    /// Returns a day since 1970-01-01 as text.
    package static func day(_ number: Int64) -> String {
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: 86_400_000)
        return String(Timestamp(milliseconds: overflow ? 0 : milliseconds).text.prefix(10))
    }

    static func response(_ identities: [UserIdentity]) -> Response {
        .object(.ok) { fields in
            fields.array("identities", identities) { json, identity in
                json.object { fields in
                    fields.field("id", identity.id)
                    fields.field("issuer", identity.issuer)
                    fields.field("created_at", identity.createdAt)
                }
            }
        }
    }
}
