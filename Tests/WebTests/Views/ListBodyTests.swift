import Dispatch
import HTTP
import JSON
import Synchronization
import Testing

@testable import Web

@Suite struct ListBodyTests {
    /// A list of texts of this size.
    private static func list(of count: Int, bytes: Int) -> ListBody {
        let text = String(repeating: "x", count: bytes)
        return .json(
            (0..<count).map { "\($0)\(text)" },
            ending: "\n",
            in: { json, list in
                json.object {
                    $0.field("count", count)
                    $0.key("list")
                    list(&$0)
                    $0.field("next", nil as String?)
                }
            }
        ) { text, json in json.value(text) }
    }

    @Test(arguments: [0, 1, 19, 20, 21, 40, 45])
    func `writes a document with the same bytes in any number of parts`(count: Int) async {
        let texts = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
        let document = #"{"count":\#(count),"list":[\#(texts)],"next":null}"# + "\n"
        let list = Self.list(of: count, bytes: 0)

        let response = await list.response(.ofJSON)

        #expect(String(decoding: list.bytes, as: UTF8.self) == document)
        #expect(response.body == list.bytes)
        #expect(response.headers["content-type"] == "application/json; charset=utf-8")
        #expect(response.rendering.pauses == 0)
    }

    @Test func `lets other tasks in after each turn of a long list`() async {
        // Each part of 20 texts ends a turn, and the hash of the whole list is a turn of its own.
        let pauses = await Self.pauses(writing: 200, bytes: ListBody.bytesInTurn / 20)

        #expect(pauses == 10)
    }

    @Test func `writes a short list in one turn`() async {
        #expect(await Self.pauses(writing: 1000, bytes: 50) == 0)
    }

    /// An executor that counts its jobs.
    private final class CountingExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "turns")
        let count = Mutex(0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            count.withLock { $0 += 1 }
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Returns how often a list of texts of this size pauses before its response is complete.
    private static func pauses(writing count: Int, bytes: Int) async -> Int {
        let executor = CountingExecutor()
        let isWhole = await Task(executorPreference: executor) {
            let list = list(of: count, bytes: bytes)
            return await list.response(.ofJSON).body == list.bytes
        }.value
        #expect(isWhole)
        // A pause is two jobs: one that resumes the task, and the rest of the task.
        return (executor.count.withLock { $0 } - 1) / 2
    }
}
