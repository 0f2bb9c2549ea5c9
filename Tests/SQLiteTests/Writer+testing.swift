import SQLite

extension Writer {
    /// Keeps the writer's thread busy, so that writes wait, until the gate is opened.
    func block() async throws -> Gate {
        let isBusy = Gate()
        let gate = Gate()
        Task {
            try await write { _ in
                isBusy.open()
                gate.wait()
            }
        }
        await isBusy.opened()
        return gate
    }

    /// Returns when this many writes wait; the writer has to be blocked.
    func untilQueued(_ count: Int) async {
        while queuedWrites < count { await Task.yield() }
    }

    /// Returns when the writer refuses writes because it is stopped; its queue has to be full.
    func untilStopped() async {
        while await refusal() != .stopped { await Task.yield() }
    }

    private func refusal() async -> WriterError? {
        do {
            try await write { _ in }
            return nil
        } catch {
            return error as? WriterError
        }
    }
}
