import JSON
import Model
import Rules

extension CheckinRecord: JSONFileRecord {
    static let kind = RecordKind.checkins

    /// Reads the keys of `GET /api/checkins`, and drops invalid values as that does.
    init(_ object: JSONObject) throws(RecordError) {
        var reasons: [String] = []
        let id = RecordID.optional(Input(object["id"]), &reasons)
        guard reasons.isEmpty else { throw RecordError(reasons) }
        self.init(id: id, checkin: Checkin { Input(object[$0]) })
    }

    func write(to json: inout JSONWriter) {
        json.object {
            if let id { $0.field("id", id) }
            $0.members(of: checkin)
        }
    }
}
