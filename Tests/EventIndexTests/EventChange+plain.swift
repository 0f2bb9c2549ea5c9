import Cells
import EventIndex

extension EventChange.Content {
    /// Creates an event with an arbitrary time.
    init(point: UnitVector, ownerID: Int64 = 1, representation: [UInt8]) {
        self.init(
            point: point,
            values: FilterValues(startedAt: 0, end: 0, ownerID: ownerID),
            representation: representation
        )
    }
}
