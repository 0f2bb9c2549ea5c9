import Events
import Randomness

extension SeededGenerator {
    /// Returns a place with a random latitude and longitude.
    mutating func coordinate() -> Coordinate {
        Coordinate(
            latitude: Double.random(in: -90...90, using: &self),
            longitude: Double.random(in: -180...180, using: &self)
        )
    }
}
