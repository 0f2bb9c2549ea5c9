import Glibc
import HTTP

/// One thread that waits for descriptors and runs everything that becomes possible then.
///
/// The loop is an actor whose executor is its own thread: the tasks of its connections, and every
/// handler that they await, run there one at a time, so that a request costs no hop between
/// threads and the state of the loop needs no lock. The executor is the tasks' preference too:
/// without that, a continuation is resumed by way of the global pool (9.5 µs a request against
/// 6.6). Between two waits lies a *batch*: all that ready descriptors, other threads and timeouts
/// have made runnable.
actor EventLoop {
    /// How often timeouts are looked at while the loop drains.
    private static let drainingTickMilliseconds: Int64 = 10

    /// How often a client beyond a limit of connections looks for a place, in ms, and at most once
    /// in a tick.
    private static let glanceMilliseconds: Int64 = 50

    private let executor: LoopExecutor
    private let poller: Poller
    private let context: LoopContext
    private let configuration: ServerConfiguration
    private let openConnections: ConnectionCount
    private let memory: ServerMemory
    private var tickMilliseconds: Int64
    private var lastTick: Int64 = 0
    /// When the loop ends whatever is still under way, in ms of its clock.
    private var shutdownDeadline = Int64.max
    /// Whether the observer has been told of the end of the latest activity.
    private var isSettled = true
    /// When it is told at the latest, in ms of the loop's clock.
    private var settleDeadline: Int64 = 0
    /// The streams that were woken while the loop waited; empty, and kept for its storage.
    private var wokenStreams: [UInt64] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Throws if the system gives no more descriptors.
    init(
        configuration: ServerConfiguration,
        openConnections: ConnectionCount,
        memory: ServerMemory
    ) throws(ServerError) {
        let wakeUp = try WakeUp()
        executor = LoopExecutor(wakeUp: wakeUp)
        context = LoopContext(executor: executor)
        poller = try Poller(wakeUp: wakeUp)
        self.configuration = configuration
        self.openConnections = openConnections
        self.memory = memory
        tickMilliseconds = configuration.limits.tickMilliseconds
    }

    /// Starts a task that serves this client until its connection is closed; it is already counted.
    nonisolated func adopt(_ client: AcceptedSocket) {
        Task(executorPreference: executor) { await self.serve(client) }
    }

    /// Starts a task that serves this client if there is room for it in a moment, and else answers
    /// 503; it is already counted in `count`.
    nonisolated func adoptLater(_ client: AcceptedSocket, countedIn count: ConnectionCount) {
        Task(executorPreference: executor) { await self.serveLater(client, countedIn: count) }
    }

    /// Starts a task that accepts connections from this listening, non-blocking socket until the
    /// loop drains, and deals them out to `loops` in turn; those that there is no room for are
    /// counted in `turnedAway`.
    nonisolated func listen(
        on socket: Int32,
        for loops: [EventLoop],
        turnedAway: ConnectionCount
    ) {
        Task(executorPreference: executor) {
            await self.accept(from: socket, for: loops, turnedAway: turnedAway)
        }
    }

    private func serve(_ client: AcceptedSocket) async {
        let channel = poller.add(client.descriptor)
        await connection(of: client, on: channel).serve()
        poller.remove(channel)
        openConnections.decrement(client.address)
    }

    private func serveLater(_ client: AcceptedSocket, countedIn count: ConnectionCount) async {
        let channel = poller.add(client.descriptor)
        let connection = connection(of: client, on: channel)
        if let refusal = await waitForPlace(of: client, connection) {
            openConnections.noteRefusal(refusal)
            await connection.turnAway(because: refusal)
            poller.remove(channel)
            count.decrement(nil)
        } else {
            count.decrement(nil)
            await connection.serve()
            poller.remove(channel)
            openConnections.decrement(client.address)
        }
    }

    /// Waits until others have left a place for this client, which then is counted, or its time is
    /// over; returns why there is none.
    private func waitForPlace(
        of client: AcceptedSocket,
        _ connection: Connection
    ) async -> ConnectionCount.Refusal? {
        // Clients that are refused at once come again at once, and keep the server busy with that.
        let deadline = context.now + Int64(configuration.limits.refusalMilliseconds)
        while true {
            let glance = min(deadline, context.now + Self.glanceMilliseconds)
            let mayWait = await connection.hold(until: glance) && context.now < deadline
            do {
                try openConnections.increment(client.address)
                return nil
            } catch {
                if !mayWait { return error }
            }
        }
    }

    private func connection(of client: AcceptedSocket, on channel: Channel) -> Connection {
        Connection(
            channel: channel,
            peerAddress: client.address,
            clientAddress: openConnections.client(client.address),
            context: context,
            service: configuration.service,
            limits: configuration.limits,
            budget: memory.requests,
            sender: ResponseSender(
                channel: channel,
                context: context,
                budget: memory.responses,
                writeMilliseconds: configuration.limits.writeMilliseconds,
                giveUp: { id in self.giveUp(response: id) }
            )
        )
    }

    /// Ends the connection whose response has this number in the budget, because its client reads
    /// it more slowly than others read theirs.
    private nonisolated func giveUp(response id: UInt64) {
        Task(executorPreference: executor) { await self.giveUpNow(response: id) }
    }

    private func giveUpNow(response id: UInt64) {
        context.waitingResponses[id]?.resume(.givenUp)
    }

    private func accept(
        from socket: Int32,
        for loops: [EventLoop],
        turnedAway: ConnectionCount
    ) async {
        let channel = poller.add(socket)
        let listener = Listener(
            channel: channel,
            context: context,
            loops: loops,
            openConnections: openConnections,
            turnedAway: turnedAway,
            observer: configuration.observer
        )
        await listener.run()
        poller.remove(channel)
    }

    /// Ends each connection after its next answer, and those that have none to wait for a little
    /// later, because a request may be on its way; the loop's thread ends with the last one, or
    /// when the limit's time is over.
    ///
    /// The loops in `others` follow as soon as this one, which accepts for them, no longer does.
    nonisolated func drain(before others: ArraySlice<EventLoop> = []) {
        Task(executorPreference: executor) { await self.startDraining(before: others) }
    }

    private func startDraining(before others: ArraySlice<EventLoop>) {
        guard !context.isDraining else { return }
        context.drainDeadline = context.now + Int64(configuration.limits.drainMilliseconds)
        shutdownDeadline = context.now + Int64(configuration.limits.shutdownMilliseconds)
        tickMilliseconds = Self.drainingTickMilliseconds
        poller.interrupt()
        for loop in others { loop.drain() }
    }

    /// Runs the loop on the calling thread until it has drained.
    nonisolated func run() {
        executor.bindToCurrentThread()
        configuration.observer.threadDidStart()
        var scratch: [UnownedJob] = []
        repeat {
            executor.runJobs(&scratch)
            assumeIsolated { loop in loop.context.beginLists() }
            while assumeIsolated({ loop in loop.context.resumeWaitingList() }) {
                executor.runJobs(&scratch)
            }
            configuration.observer.batchDidFinish()
        } while assumeIsolated { loop in loop.waitForNextBatch() }
        // Their tasks end, so that each stream is closed.
        while assumeIsolated({ loop in loop.context.streams.giveUpAll() }) {
            executor.runJobs(&scratch)
        }
        assumeIsolated { loop in loop.poller.removeAll() }
        configuration.observer.loopDidSettle()
        configuration.observer.threadWillStop()
    }

    /// Waits for something to do and makes its task runnable; false once the loop has drained.
    private func waitForNextBatch() -> Bool {
        if context.isDraining && (poller.channelCount == 0 || context.now >= shutdownDeadline) {
            return false
        }
        let tick = currentTickMilliseconds
        let patience = min(isSettled ? tick : LoopObserver.settleMilliseconds, streamMilliseconds)
        let mayWait = executor.prepareToWait() && !context.hasWaitingLists
        let count = poller.wait(milliseconds: mayWait ? Int32(clamping: patience) : 0)
        executor.finishWaiting(&wokenStreams)
        context.updateClock()
        context.bytesMade = 0
        settle(hasWork: count > 0 || !mayWait)
        poller.dispatch(count)
        resumeStreams()
        if context.now - lastTick >= tick {
            lastTick = context.now
            poller.expire(now: context.now)
            context.returnMemory()
            if let count = memory.newlyGivenUp(now: context.now) {
                configuration.observer.responsesWereGivenUp(count)
            }
        }
        return true
    }

    /// How long it is until a stream may go on, in ms.
    private var streamMilliseconds: Int64 {
        guard let deadline = context.streams.nextDeadline else { return .max }
        // The batch may have taken longer than that.
        context.updateClock()
        return max(0, deadline - context.now)
    }

    /// Makes the streams runnable that were woken or whose time is over.
    private func resumeStreams() {
        if !wokenStreams.isEmpty {
            context.streams.wake(wokenStreams)
            wokenStreams.removeAll(keepingCapacity: true)
        }
        context.streams.expire(now: context.now)
    }

    /// How often timeouts are looked at now, in ms: more often while somebody is kept waiting whose
    /// time is shorter than any other.
    private var currentTickMilliseconds: Int64 {
        var tick = tickMilliseconds
        if context.heldCount > 0 {
            let limit = configuration.limits.refusalMilliseconds
            tick = min(tick, Limits.tickMilliseconds(for: limit))
        }
        if context.isAcceptingAtRest {
            tick = min(tick, Limits.tickMilliseconds(for: Listener.restMilliseconds))
        }
        return tick
    }

    /// Tells the observer when the loop has nothing to do, and now and then while it has; a job
    /// that is still to run is work as much as a descriptor that is ready.
    private func settle(hasWork: Bool) {
        if !isSettled && (!hasWork || context.now >= settleDeadline) {
            configuration.observer.loopDidSettle()
            isSettled = true
        }
        if isSettled && hasWork {
            settleDeadline = context.now + LoopObserver.settleMilliseconds
            isSettled = false
        }
    }
}

extension Limits {
    /// How often timeouts are looked at, in ms: often enough that the shortest of them is kept to
    /// within a quarter, at most once in 10 ms and at least once a second.
    fileprivate var tickMilliseconds: Int64 {
        let shortest = min(
            headMilliseconds,
            bodyMilliseconds,
            idleMilliseconds,
            writeMilliseconds,
            shutdownMilliseconds
        )
        return Self.tickMilliseconds(for: shortest)
    }

    /// How often to look at a timeout of so many ms.
    fileprivate static func tickMilliseconds(for timeout: Int) -> Int64 {
        Int64(min(1000, max(10, timeout / 4)))
    }
}
