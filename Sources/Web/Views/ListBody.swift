import Bytes
import System
import HTTP
import JSON

/// The body of a list, as functions that append its parts to bytes.
///
/// A long list is written in turns of about a millisecond. Between two turns, the event loop serves
/// the requests that have arrived.
package struct ListBody {
    /// The number of elements to write before the output is measured.
    ///
    /// The default page of a search is one such part.
    private static let elementsInPart = 20
    /// The size of a typical event in any representation.
    private static let usualBytes = 384
    /// The size of the output that ends a turn.
    static let bytesInTurn = 128 * 1024

    /// The number of elements.
    let count: Int
    /// Appends what precedes the elements.
    let begin: (inout [UInt8]) -> Void
    /// Appends consecutive elements.
    let elements: (Range<Int>, inout [UInt8]) -> Void
    /// Appends what follows the elements.
    let end: (inout [UInt8]) -> Void

    /// The whole body; O(n).
    package var bytes: [UInt8] {
        var bytes = beginning
        var next = 0
        while next < count { writeTurn(from: &next, to: &bytes) }
        end(&bytes)
        return bytes
    }

    /// Returns a response with the body, which other requests don't have to wait for.
    func response(_ headers: Headers) async -> Response {
        var response = Response(.ok, headers: headers)
        let began = MonotonicClock.microseconds()
        var bytes = beginning
        var next = 0
        while next < count {
            writeTurn(from: &next, to: &bytes)
            guard next < count else { break }
            await pause(since: began, &response)
        }
        end(&bytes)
        // Its hash takes about as long as a turn or longer.
        if bytes.count > Self.bytesInTurn { await pause(since: began, &response) }
        let total = MonotonicClock.microseconds() - began
        response.rendering.work = total - response.rendering.pauses
        response.body = bytes
        return response
    }

    /// Lets other requests be served, and records how long that took.
    private func pause(since began: Int64, _ response: inout Response) async {
        let pausedAt = MonotonicClock.microseconds()
        await WatchedDescriptors.pause(since: began)
        response.rendering.pauses += MonotonicClock.microseconds() - pausedAt
    }

    private var beginning: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((1 + min(count, Self.elementsInPart)) * Self.usualBytes)
        begin(&bytes)
        return bytes
    }

    /// Appends elements until there are none or the turn is over.
    private func writeTurn(from next: inout Int, to bytes: inout [UInt8]) {
        let full = bytes.count + Self.bytesInTurn
        while next < count, bytes.count < full {
            let end = min(next + Self.elementsInPart, count)
            elements(next..<end, &bytes)
            next = end
            reserve(for: count - next, after: next, in: &bytes)
        }
    }

    /// Reserves space for the remaining elements if most of it is used.
    ///
    /// An array that grows doubles its capacity. The elements so far show how large the others are.
    private func reserve(for rest: Int, after written: Int, in bytes: inout [UInt8]) {
        let isFirst = written == Self.elementsInPart
        guard rest > 0, isFirst || bytes.capacity - bytes.count < bytes.capacity / 8 else {
            return
        }
        let expected = bytes.count / written * rest
        bytes.reserveCapacity(bytes.count + expected + expected / 8)
    }
}

extension ListBody {
    /// Creates the body of a list in JSON.
    ///
    /// - Parameters:
    ///   - list: The elements.
    ///   - ending: What follows the JSON.
    ///   - document: Writes the document. It calls its second parameter once, to write the array of
    ///     the elements.
    ///   - write: Writes an element.
    /// - Returns: The body.
    static func json<Element>(
        _ list: [Element],
        ending: StaticString = "",
        in document: (inout JSONWriter, (inout JSONWriter) -> Void) -> Void = { $1(&$0) },
        _ write: @escaping (Element, inout JSONWriter) -> Void
    ) -> ListBody {
        // The document with an empty array, which is split between the brackets.
        var writer = JSONWriter()
        var split = 0
        document(&writer) { json in json.array { split = $0.bytes.count } }
        let frame = writer.bytes
        let (head, tail) = (frame[..<split], frame[split...])
        return ListBody(
            count: list.count,
            begin: { $0 += head },
            elements: { range, bytes in
                if range.lowerBound > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONWriter.append(to: &bytes) { writer in
                    // A loop over the array would count the references of each element.
                    let list = list.span
                    for index in range { write(list[index], &writer) }
                }
            },
            end: { bytes in
                bytes += tail
                bytes.append(ending)
            }
        )
    }
}

extension Headers {
    /// The headers of a list in JSON; it has space for those that are added to each response.
    static var ofJSON: Headers {
        var headers = Headers()
        headers.reserveCapacity(5)
        headers.append("content-type", Response.jsonType)
        return headers
    }
}
