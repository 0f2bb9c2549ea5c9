import Cells
import EventIndex

extension EventChange.Content {
    /// Creates an event with an arbitrary time and owner.
    init(point: UnitVector, representation: [UInt8]) {
        self.init(
            point: point,
            values: FilterValues(startedAt: 0, end: 0, ownerID: 1),
            representation: representation
        )
    }
}
