import Cells
import Glibc
import Model

/// A place that a search has found.
package struct FoundPlace<Record: BitwiseCopyable>: BitwiseCopyable {
    package let id: Int64
    package let record: Record
    /// In km.
    package let distance: Double
}

/// The nearest of the places that were seen so far.
///
/// It compares squared chords, the straight lines through the sphere, which need no trigonometry.
/// Only for about as many places as there are results it computes the exact distance, which alone
/// decides.
struct NearestPlaces<Record: BitwiseCopyable> {
    private struct Candidate: BitwiseCopyable {
        let place: Place<Record>
        let squaredChord: Double
    }

    private let origin: UnitVector
    private let limit: Int
    private let radius: Double
    /// The greatest squared chord of a place that can be among the results.
    private var farthest: Double
    private var candidates: [Candidate] = []
    /// The last result so far, if there are enough.
    private var last: Place<Record>?
    /// The number of candidates from which the superfluous ones are removed.
    ///
    /// It is more than the two sides of the first read have, so that most searches never do that,
    /// and each removal leaves room for about as many candidates as it has sorted.
    private let capacity: Int

    /// No result is farther away than this angle, in radians.
    private(set) var bound: Double

    init(from origin: UnitVector, limit: Int, radius: Double) {
        self.origin = origin
        self.limit = limit
        self.radius = radius
        bound = min(radius / Coordinate.sphereRadius, .pi)
        farthest = Self.squaredChord(of: bound)
        capacity = limit > Self.manyResults ? .max : 2 * limit + Self.spareCandidates
        candidates.reserveCapacity(min(capacity, 256))
    }

    /// More than any response has; such a search keeps all candidates.
    private static var manyResults: Int { 1_000_000 }
    /// What a small limit adds to its capacity, for the places of the second read: 20 results
    /// usually have 70 candidates there.
    private static var spareCandidates: Int { 96 }
    /// More than rounding changes of a chord.
    private static var chordError: Double { 1e-12 }

    /// Takes a place into account.
    @inline(__always)
    mutating func consider(_ place: Place<Record>) {
        let x = place.point.x - origin.x
        let y = place.point.y - origin.y
        let z = place.point.z - origin.z
        let squaredChord = x * x + y * y + z * z
        guard squaredChord <= farthest else { return }
        // Thousands of events can have one place, and only the first ids are results.
        if let last, place.id > last.id, place.point == last.point { return }
        candidates.append(Candidate(place: place, squaredChord: squaredChord))
        if candidates.count >= capacity { removeFarPlaces() }
    }

    /// Forgets the places, but not how far away a result can be.
    ///
    /// A remote source can have lost them before the next read.
    mutating func removeAllButBound() {
        if let lastChord {
            bound = min(bound, 2 * asin(min(lastChord / 2, 1)))
            farthest = min(farthest, lastChord * lastChord)
        }
        candidates.removeAll(keepingCapacity: true)
        last = nil
    }

    /// Returns the nearest places, ties by id.
    ///
    /// O(n log m) for n candidates and m results.
    func sorted() -> [FoundPlace<Record>] {
        let farthest = lastChord.map { $0 * $0 } ?? .infinity
        var found: [FoundPlace<Record>] = []
        found.reserveCapacity(min(candidates.count, limit))
        for candidate in candidates where candidate.squaredChord <= farthest {
            let place = candidate.place
            let distance = Coordinate.distance(from: origin, to: place.point)
            guard distance <= radius else { continue }
            found.append(FoundPlace(id: place.id, record: place.record, distance: distance))
        }
        found.sort { one, other in
            one.distance == other.distance ? one.id < other.id : one.distance < other.distance
        }
        if found.count > limit { found.removeLast(found.count - limit) }
        return found
    }

    /// Returns the nearest places, ties by id, if an angle in radians contains enough of them.
    ///
    /// Also returns them if it contains all places within the radius.
    func sorted(within angle: Double) -> [FoundPlace<Record>]? {
        let found = sorted()
        if angle >= bound { return found }
        guard found.count == limit, let last = found.last else { return nil }
        return last.distance <= angle * Coordinate.sphereRadius ? found : nil
    }

    /// The greatest chord of a result, and slightly more; nil if there are too few candidates.
    ///
    /// It needs no exact distance of each candidate.
    private var lastChord: Double? {
        guard candidates.count >= limit else { return nil }
        var chords = candidates.map(\.squaredChord)
        return chords.element(atSortedIndex: limit - 1).squareRoot() + Self.chordError
    }

    /// Keeps the candidates that can be results.
    private mutating func removeFarPlaces() {
        let results = sorted()
        let ids = Set(results.map(\.id))
        candidates.removeAll { !ids.contains($0.place.id) }
        guard candidates.count == limit, let lastResult = results.last else { return }
        last = candidates.first { $0.place.id == lastResult.id }?.place
        farthest = min(
            farthest,
            Self.squaredChord(of: lastResult.distance / Coordinate.sphereRadius)
        )
    }

    /// Returns the square of the chord of an angle in radians, and slightly more.
    private static func squaredChord(of angle: Double) -> Double {
        let chord = 2 * sin(min(angle, .pi) / 2) + chordError
        return chord * chord
    }
}

extension [Double] {
    /// Returns the element that would be at an index, if the array was sorted; changes the order.
    ///
    /// O(n) on average (Hoare's selection, Communications of the ACM 4, 1961).
    mutating func element(atSortedIndex wanted: Int) -> Double {
        var (lower, upper) = (0, count - 1)
        while lower < upper {
            let pivot = self[lower + (upper - lower) / 2]
            var (left, right) = (lower, upper)
            while left <= right {
                while self[left] < pivot { left += 1 }
                while self[right] > pivot { right -= 1 }
                guard left <= right else { break }
                swapAt(left, right)
                left += 1
                right -= 1
            }
            if wanted <= right {
                upper = right
            } else if wanted >= left {
                lower = left
            } else {
                break
            }
        }
        return self[wanted]
    }
}
