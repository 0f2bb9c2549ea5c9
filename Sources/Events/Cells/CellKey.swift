import Glibc

/// A point on the sphere, as a vector of length 1.
///
/// `x` points to latitude 0 and longitude 0, `y` to longitude 90, and `z` to the north pole.
package typealias UnitVector = (x: Double, y: Double, z: Double)

/// The position of a place on a curve that fills the sphere: places with similar keys are near each
/// other.
///
/// The sphere is projected onto the six faces of a cube, and each face is divided into 2²⁹ × 2²⁹
/// leaf cells. The tangent of an angle is a coordinate on the face, so that all leaf cells have
/// similar sizes: 1 to 2 cm. Within a face, keys follow the Z-order curve.
///
/// Every storage uses the same keys, so a change here needs a migration of all of them. A different
/// C library may round the arc tangent differently and move a place by one leaf cell. Covers have
/// space for that (`Cap.slack`).
package struct CellKey: RawRepresentable, BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The number of times that a face can be divided into four.
    package static let maximumLevel = 29
    /// The number of faces of the cube.
    static let faceCount = 6
    /// The number of bits for the position within a face.
    static let faceBits = 2 * maximumLevel
    /// All keys that exist.
    package static let all = CellKey(rawValue: 0)...CellKey(rawValue: keyCount - 1)
    private static let keyCount = Int64(faceCount) << Int64(faceBits)
    /// The average area of a leaf cell on a sphere of radius 1.
    package static let area = 4 * Double.pi / Double(keyCount)

    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Returns the key of a point on the sphere.
    package init(_ point: UnitVector) {
        let (face, u, w) = CubeFace.containing(point)
        let i = CellKey.leafNumber(u)
        let j = CellKey.leafNumber(w)
        rawValue =
            (Int64(face.number) << Int64(CellKey.faceBits))
            | Int64(bitPattern: (CellKey.spread(i) << 1) | CellKey.spread(j))
    }

    // Other modules compare keys in their innermost loops.
    @inlinable @inline(__always)
    package static func == (one: CellKey, other: CellKey) -> Bool {
        one.rawValue == other.rawValue
    }

    @inlinable @inline(__always)
    package static func < (one: CellKey, other: CellKey) -> Bool {
        one.rawValue < other.rawValue
    }

    @inlinable @inline(__always)
    package static func <= (one: CellKey, other: CellKey) -> Bool {
        one.rawValue <= other.rawValue
    }

    /// Returns the number of the column or row of leaf cells with this coordinate of a face.
    private static func leafNumber(_ coordinate: Double) -> UInt64 {
        let count = Double(1 << maximumLevel)
        let place = (count * (0.5 + 2 / Double.pi * atan(coordinate))).rounded(.down)
        // Rounding can exceed the range at the edges. NaN, which no coordinate has, becomes 0.
        return place >= 0 ? UInt64(min(count - 1, place)) : 0
    }

    /// Returns the number with a zero above each of its lower 32 bits.
    static func spread(_ number: UInt64) -> UInt64 {
        var bits = number & 0xFFFF_FFFF
        bits = (bits | (bits << 16)) & 0x0000_FFFF_0000_FFFF
        bits = (bits | (bits << 8)) & 0x00FF_00FF_00FF_00FF
        bits = (bits | (bits << 4)) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | (bits << 2)) & 0x3333_3333_3333_3333
        return (bits | (bits << 1)) & 0x5555_5555_5555_5555
    }
}

/// A face of the cube: x, y, z, and then the opposite ones.
///
/// One axis points out of the face. A point's `u` and `w` are its coordinates on the other two
/// axes, in the order x, y, z, divided by the magnitude of its coordinate on the first one. So `u`
/// and `w` have the signs of their axes on all faces.
struct CubeFace {
    /// 0 to 5.
    let number: Int

    /// Returns the face of a point, and the point's two coordinates on it, -1 to 1.
    static func containing(_ point: UnitVector) -> (face: CubeFace, u: Double, w: Double) {
        let (x, y, z) = (abs(point.x), abs(point.y), abs(point.z))
        if x >= y, x >= z {
            return (CubeFace(number: point.x < 0 ? 3 : 0), point.y / x, point.z / x)
        }
        if y >= z { return (CubeFace(number: point.y < 0 ? 4 : 1), point.x / y, point.z / y) }
        return (CubeFace(number: point.z < 0 ? 5 : 2), point.x / z, point.y / z)
    }

    /// Returns a vector's part that points out of the face, and its parts along the two axes.
    func components(of vector: UnitVector) -> (normal: Double, u: Double, w: Double) {
        switch number {
        case 0: (vector.x, vector.y, vector.z)
        case 1: (vector.y, vector.x, vector.z)
        case 2: (vector.z, vector.x, vector.y)
        case 3: (-vector.x, vector.y, vector.z)
        case 4: (-vector.y, vector.x, vector.z)
        default: (-vector.z, vector.x, vector.y)
        }
    }
}
