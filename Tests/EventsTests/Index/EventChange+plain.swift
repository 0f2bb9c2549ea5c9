import Events
import Glibc

extension EventChange.Content {
    /// Creates an event at a point, with an arbitrary time unless it is given.
    init(
        point: UnitVector,
        values: FilterValues? = nil,
        ownerID: Int64 = 1,
        json: [UInt8]? = nil
    ) {
        let fromAxis = (point.x * point.x + point.y * point.y).squareRoot()
        self.init(
            coordinate: Coordinate(
                latitude: atan2(point.z, fromAxis) * 180 / .pi,
                longitude: atan2(point.y, point.x) * 180 / .pi
            ),
            values: values ?? FilterValues(startedAt: 0, end: 0, ownerID: ownerID),
            json: json
        )
    }
}
