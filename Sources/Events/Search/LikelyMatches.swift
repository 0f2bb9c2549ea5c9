/// The events in the cap that probably has enough matches.
///
/// They are compared by chords, so that only matches of the page need an exact distance.
struct LikelyMatches {
    private struct Candidate: BitwiseCopyable {
        let id: Int64
        let point: UnitVector
        let location: EventLocation
        let squaredChord: Double
    }

    /// A match of the page, small enough to be sorted quickly.
    struct Found: BitwiseCopyable {
        /// In the order of distances.
        let position: EventPosition
        /// The index of the candidate.
        fileprivate let index: Int
    }

    private let wanted: Int
    private var candidates: [Candidate] = []

    /// The number of events in the cap of a typical page is half of this.
    private static let usualCapacity = 64

    init(_ wanted: Int) {
        self.wanted = wanted
        candidates.reserveCapacity(Self.usualCapacity)
    }

    @inline(__always)
    mutating func append(
        _ id: Int64,
        _ point: UnitVector,
        _ location: EventLocation,
        _ squaredChord: Double
    ) {
        candidates.append(
            Candidate(id: id, point: point, location: location, squaredChord: squaredChord)
        )
    }

    /// Returns the nearest matches within a distance, nearest first and ties by id.
    ///
    /// O(n + m log m) for n events and m matches.
    func sorted(_ matcher: EventMatcher, withinMillimetres distance: Int64) -> [Found] {
        let farthest = farthestOfPage
        var found: [Found] = []
        found.reserveCapacity(min(wanted, candidates.count))
        for (index, candidate) in candidates.enumerated()
        where candidate.squaredChord <= farthest {
            guard let millimetres = matcher.distance(candidate.point), millimetres <= distance
            else { continue }
            let position = EventPosition(key: millimetres, id: candidate.id)
            found.append(Found(position: position, index: index))
        }
        found.sort { $0.position.precedes($1.position, isDescending: false) }
        if found.count > wanted { found.removeLast(found.count - wanted) }
        return found
    }

    func location(of found: Found) -> EventLocation { candidates[found.index].location }

    /// The greatest squared chord that an event of the page can have.
    ///
    /// It is 1 mm more than that of the last one by chord, because events with the same distance in
    /// whole millimetres are in the order of their ids.
    private var farthestOfPage: Double {
        guard wanted < candidates.count else { return .infinity }
        var chords = candidates.map(\.squaredChord)
        let last = chords.element(atSortedIndex: wanted - 1)
        return EventMatcher.squaredChord(addingMillimetreTo: last)
    }
}

extension [Double] {
    /// Returns the element that would be at an index, if the array was sorted; changes the order.
    ///
    /// O(n) on average (Hoare's selection, Communications of the ACM 4, 1961).
    fileprivate mutating func element(atSortedIndex wanted: Int) -> Double {
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
