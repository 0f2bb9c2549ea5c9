/// Formats numbers of bytes for people.
package enum ByteCount {
    /// Returns a text such as `812 B`, `3.4 MB` or `12 GB`, in powers of 1000 with up to two
    /// digits.
    package static func text(_ bytes: Int) -> String {
        var value = Double(max(0, bytes))
        var units = ["B", "kB", "MB", "GB", "TB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let unit = units.first ?? ""
        guard unit != "B", value < 9.95 else { return "\(Int(value.rounded())) \(unit)" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
