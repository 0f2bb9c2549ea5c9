import System
import Glibc
import HTTP

/// A thread that waits for descriptors and runs the tasks of its connections.
///
/// The loop is an actor whose executor is its own thread. The tasks of its connections, and every
/// handler that they await, run there one at a time. A request therefore never changes threads, and
/// the state of the loop needs no lock. The executor is also the preference of the tasks: without
/// that, continuations go through the global pool (9.5 µs a request against 6.6). A *batch* is
/// everything between two waits that descriptors, other threads and timeouts have made runnable.
actor EventLoop {
    /// The interval between two checks of the timeouts while the loop drains.
    private static let drainingTickMilliseconds: Int64 = 10

    /// The interval in ms at which a client over a connection limit retries, at most once a tick.
    private static let glanceMilliseconds: Int64 = 50

    private let executor: LoopExecutor
    private let poller: Poller
    private let context: LoopContext
    private let configuration: ServerConfiguration
    private let openConnections: AddressBudget
    private let requests: AddressBudget
    private let responses: ResponseBudget
    private var tickMilliseconds: Int64
    private var lastTick: Int64 = 0
    /// The time at which the loop ends all remaining connections, in ms of its clock.
    private var shutdownDeadline = Int64.max
    /// Whether the observer knows that the latest activity has ended.
    private var isSettled = true
    /// The latest time to notify the observer, in ms of the loop's clock.
    private var settleDeadline: Int64 = 0
    /// The streams that were woken while the loop waited; empty between uses, to reuse its storage.
    private var wokenStreams: [UInt64] = []
    /// The streams that a task of their own is about to send, with their channels, by descriptor.
    private var lastStreams: [Int32: (stream: LastStream, channel: Channel)] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates a loop, and throws if the system is out of descriptors.
    init(
        configuration: ServerConfiguration,
        openConnections: AddressBudget,
        requests: AddressBudget,
        responses: ResponseBudget
    ) throws(ServerError) {
        guard let wakeUp = WakeUp() else { throw ServerError(call: "eventfd") }
        executor = LoopExecutor(wakeUp: wakeUp)
        poller = try Poller(wakeUp: wakeUp)
        context = LoopContext(
            executor: executor,
            watched: poller.watched,
            responses: responses,
            limits: configuration.limits
        )
        self.configuration = configuration
        self.openConnections = openConnections
        self.requests = requests
        self.responses = responses
        tickMilliseconds = configuration.limits.tickMilliseconds
    }

    /// Starts a task that serves a connection until it is closed.
    ///
    /// The connection is already counted, by default among those that are served. If it is counted
    /// in `turnedAway`, the task waits for a free connection, or else sends a 503.
    nonisolated func adopt(_ client: AcceptedSocket, countedIn turnedAway: AddressBudget? = nil) {
        Task(executorPreference: executor) { await self.serve(client, countedIn: turnedAway) }
    }

    /// Starts a task that accepts connections and assigns them to `loops` in turn.
    ///
    /// It ends when the loop drains. The socket is listening and non-blocking. Connections over a
    /// limit are counted in `turnedAway`.
    nonisolated func listen(on socket: Int32, for loops: [EventLoop], turnedAway: AddressBudget) {
        Task(executorPreference: executor) {
            await self.accept(from: socket, for: loops, turnedAway: turnedAway)
        }
    }

    private func serve(_ client: AcceptedSocket, countedIn turnedAway: AddressBudget?) async {
        let channel = poller.add(client.descriptor)
        var connection = connection(of: client, on: channel)
        // A decrease never fails.
        if let turnedAway {
            let refusal = await waitForPlace(of: client, connection)
            if let refusal {
                openConnections.noteRefusal(refusal)
                await connection.refuse(.serviceUnavailable, refusal.connectionMessage, nil)
                poller.remove(channel)
            }
            try? turnedAway.change(from: 1, to: 0, for: nil)
            if refusal != nil { return }
        }
        if let stream = await connection.serve() {
            // A task retains the memory of all functions that it has called: 39 kB after a request.
            // The stream may be open for hours, so it gets another one.
            lastStreams[client.descriptor] = (stream, channel)
            Socket.prepareForStream(client.descriptor)
            Task(executorPreference: executor) { await self.finishStream(of: client) }
        } else {
            end(client, channel)
        }
    }

    private func finishStream(of client: AcceptedSocket) async {
        guard let (stream, channel) = lastStreams.removeValue(forKey: client.descriptor) else {
            return
        }
        await connection(of: client, on: channel).finish(stream)
        end(client, channel)
    }

    private func end(_ client: AcceptedSocket, _ channel: Channel) {
        poller.remove(channel)
        try? openConnections.change(from: 1, to: 0, for: openConnections.client(client.address))
    }

    /// Waits until a connection is free and counts the client.
    ///
    /// If none is free within `refusalMilliseconds`, it returns the reason.
    private func waitForPlace(
        of client: AcceptedSocket,
        _ connection: borrowing ClientConnection
    ) async -> AddressBudget.Refusal? {
        // Clients that are rejected immediately retry immediately, which keeps the server busy.
        let deadline = context.now + Int64(configuration.limits.refusalMilliseconds)
        while true {
            let glance = min(deadline, context.now + Self.glanceMilliseconds)
            let mayWait = await connection.hold(until: glance) && context.now < deadline
            do {
                let address = openConnections.client(client.address)
                try openConnections.change(from: 0, to: 1, for: address)
                return nil
            } catch {
                if !mayWait { return error }
            }
        }
    }

    private func connection(of client: AcceptedSocket, on channel: Channel) -> ClientConnection {
        ClientConnection(
            channel: channel,
            peerAddress: client.address,
            clientAddress: openConnections.client(client.address),
            context: context,
            service: configuration.service,
            limits: configuration.limits,
            budget: requests,
            sender: ResponseSender(
                channel: channel,
                context: context,
                budget: responses,
                writeMilliseconds: configuration.limits.writeMilliseconds,
                giveUp: { id in self.giveUp(response: id) }
            )
        )
    }

    /// Ends the connection whose response has this number in the budget.
    ///
    /// Its client reads more slowly than the others.
    private nonisolated func giveUp(response id: UInt64) {
        Task(executorPreference: executor) { await self.giveUpNow(response: id) }
    }

    private func giveUpNow(response id: UInt64) {
        context.waitingResponses[id]?.resume(.givenUp)
    }

    private func accept(
        from socket: Int32,
        for loops: [EventLoop],
        turnedAway: AddressBudget
    ) async {
        let channel = poller.add(socket)
        var listener = Listener(
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

    /// Starts to drain: each connection is closed after its next response.
    ///
    /// Idle connections are closed a little later, because a request may be on its way. The loop's
    /// thread ends with the last connection, or at the deadline of the shutdown. The loops in
    /// `others` follow once this one, which accepts their connections, has stopped accepting.
    nonisolated func drain(before others: ArraySlice<EventLoop> = []) {
        Task(executorPreference: executor) { await self.startDraining(before: others) }
    }

    private func startDraining(before others: ArraySlice<EventLoop>) {
        guard !context.isDraining else { return }
        // The interrupted tasks may close their connections.
        context.outbox.send()
        context.drainDeadline = context.now + Int64(configuration.limits.drainMilliseconds)
        shutdownDeadline = context.now + Int64(configuration.limits.shutdownMilliseconds)
        tickMilliseconds = Self.drainingTickMilliseconds
        poller.interrupt()
        for loop in others { loop.drain() }
    }

    /// Runs the loop on the calling thread until it has drained.
    nonisolated func run() {
        executor.bindToCurrentThread()
        // Only once, because each call takes about 1,000 instructions.
        assumeIsolated { loop in loop.runUntilDrained() }
        WatchedDescriptors.unbindCurrentThread()
    }

    /// Runs batches until the loop has drained.
    private func runUntilDrained() {
        poller.watched.bindToCurrentThread()
        configuration.observer.threadDidStart()
        var scratch: [UnownedJob] = []
        repeat {
            runJobs(&scratch)
            while context.resumeWaitingLists() { runJobs(&scratch) }
            configuration.observer.batchDidFinish()
        } while waitForNextBatch()
        // This ends their tasks, so that each stream is closed.
        while context.streams.giveUpAll() { runJobs(&scratch) }
        poller.removeAll()
        configuration.observer.loopDidSettle()
        configuration.observer.threadWillStop()
    }

    /// Runs jobs until there are none, and sends their responses.
    ///
    /// `scratch` is an empty array whose storage is reused.
    private func runJobs(_ scratch: inout [UnownedJob]) {
        while executor.takeJobs(&scratch) {
            context.sendsTogether = scratch.count > 1 || !context.outbox.isEmpty
            for job in scratch {
                executor.run(job)
                if context.outbox.isFull { context.outbox.send() }
            }
            scratch.removeAll(keepingCapacity: true)
        }
        context.outbox.send()
    }

    /// Waits for the next events and resumes their tasks; false once the loop has drained.
    private func waitForNextBatch() -> Bool {
        if context.isDraining && (poller.channelCount == 0 || context.now >= shutdownDeadline) {
            return false
        }
        let tick = currentTickMilliseconds
        let patience = min(
            isSettled ? tick : LoopObserver.settleMilliseconds,
            streamMilliseconds,
            context.listMillisecondsLeft
        )
        let mayWait = executor.prepareToWait() && patience > 0
        let count = poller.wait(milliseconds: mayWait ? Int32(clamping: patience) : 0)
        executor.finishWaiting(&wokenStreams)
        context.updateClock()
        context.beginBatch()
        settle(hasWork: count > 0 || !mayWait)
        poller.dispatch(count, receivingInto: &context.inbox)
        resumeStreams()
        if context.now - lastTick >= tick {
            lastTick = context.now
            poller.expire(now: context.now)
            context.returnMemory()
            if let count = responses.newlyGivenUp(now: context.now) {
                configuration.observer.responsesWereGivenUp(count)
            }
        }
        return true
    }

    /// The time until the next deadline of a stream, in ms.
    private var streamMilliseconds: Int64 {
        let deadline = context.streams.nextDeadline
        guard deadline < .max else { return .max }
        // The batch may have taken longer than that deadline.
        context.updateClock()
        return max(0, deadline - context.now)
    }

    /// Resumes the streams that were woken or whose wait is over.
    private func resumeStreams() {
        if !wokenStreams.isEmpty {
            context.streams.wake(wokenStreams)
            wokenStreams.removeAll(keepingCapacity: true)
        }
        context.streams.expire(now: context.now)
    }

    /// The current interval between two checks of the timeouts, in ms.
    ///
    /// It is shorter while clients or the listener wait for a shorter time than all other timeouts.
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

    /// Notifies the observer when the loop is idle, and at intervals while it is busy.
    ///
    /// A pending job is work, just as a ready descriptor is.
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
    /// The interval between two checks of the timeouts, in ms.
    ///
    /// It is a quarter of the shortest timeout, but from 10 ms to 1 s.
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

    /// Returns the interval between two checks of a timeout, in ms.
    fileprivate static func tickMilliseconds(for timeout: Int) -> Int64 {
        Int64(min(1000, max(10, timeout / 4)))
    }
}
