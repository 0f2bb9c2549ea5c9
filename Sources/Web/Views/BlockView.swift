import JSON
import Model
import Formats

/// The blocks of a user.
enum BlockView {
    static func body(of blocks: [Block]) -> ListBody {
        .json(
            blocks,
            in: { json, list in
                json.object { fields in
                    fields.field("count", blocks.count)
                    fields.key("blocks")
                    list(&fields)
                }
            }
        ) { block, json in
            json.object { fields in
                fields.object("user") { $0.field("id", block.userID) }
                fields.field("created_at", block.createdAt)
            }
        }
    }
}
