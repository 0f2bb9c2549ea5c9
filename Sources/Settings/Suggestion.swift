/// Suggests a known word for a mistyped one.
package enum Suggestion {
    /// Returns the candidate with the fewest typing errors, or nil if there are too many for its
    /// length.
    ///
    /// Of equal candidates it returns the first. O(n·m) for each candidate.
    package static func closest(to word: String, in candidates: [String]) -> String? {
        let typed = Array(word.lowercased())
        // No candidate is that long, and this limits the cost.
        guard typed.count <= 100 else { return nil }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(typed, Array(candidate.lowercased()))
            guard distance <= max(1, candidate.count / 3), distance < best?.distance ?? .max
            else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours between
    /// two words (optimal string alignment).
    private static func distance(_ source: [Character], _ target: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let isSame = source[row] == target[column]
                var cost = min(
                    last[column] + (isSame ? 0 : 1),
                    last[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, source[row] == target[column - 1],
                    source[row - 1] == target[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[target.count]
    }
}
