import JSON
import Model
import Rules

extension AttendanceRecord: JSONFileRecord {
    static let kind = RecordKind.attendances

    /// Reads the keys `id`, `event` and `user`, the latter two as `{"id":1}`, as a number or as
    /// `event_id` and `user_id`.
    init(_ object: JSONObject) throws(RecordError) {
        var reasons: [String] = []
        let id = RecordID.optional(Input(object["id"]), &reasons)
        let eventID = RecordID.required(object, "event", &reasons)
        let userID = RecordID.required(object, "user", &reasons)
        guard let eventID, let userID, reasons.isEmpty else { throw RecordError(reasons) }
        self.init(id: id, eventID: eventID, userID: userID)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            if let id { $0.field("id", id) }
            $0.object("event") { $0.field("id", eventID) }
            $0.object("user") { $0.field("id", userID) }
        }
    }
}

extension RecordID {
    /// Returns the id under a key, in any form that `JSONRecord.reference` reads.
    ///
    /// If the id is missing or invalid, adds an error to `reasons`.
    fileprivate static func required(
        _ object: JSONObject,
        _ key: String,
        _ reasons: inout [String]
    ) -> Int64? {
        let input = JSONRecord.reference(key, in: object)
        let id = parse(input)
        if id == nil { reasons.append(key + (input.isBlank ? " can't be blank" : " is invalid")) }
        return id
    }
}
