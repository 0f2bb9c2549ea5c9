import CLinux
import System
import Glibc

/// The epoll set of one event loop and the channels in it (epoll(7), level-triggered).
///
/// Belongs to its loop's thread.
@safe final class Poller {
    private static let eventsAtOnce = 256

    private let epoll: Int32
    private let wakeUp: WakeUp
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: eventsAtOnce)
    /// The channels at the index of their descriptor.
    private var channels: [Channel?] = []
    private(set) var channelCount = 0
    /// The descriptors of others, such as a database's connections.
    let watched: WatchedDescriptors

    init(wakeUp: WakeUp) throws(ServerError) {
        self.wakeUp = wakeUp
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        watched = WatchedDescriptors(epoll: epoll)
        if epoll < 0 { throw ServerError(call: "epoll_create1") }
        unsafe events.initialize(repeating: epoll_event())
        guard control(EPOLL_CTL_ADD, wakeUp.descriptor, events: EPOLLIN.rawValue) else {
            throw ServerError(call: "epoll_ctl")
        }
    }

    deinit {
        unsafe events.deallocate()
        close(epoll)
        close(wakeUp.descriptor)
    }

    /// Adds a non-blocking descriptor, which the poller owns from now on.
    func add(_ descriptor: Int32) -> Channel {
        let channel = Channel(descriptor: descriptor, poller: self)
        let index = Int(descriptor)
        while channels.count <= index { channels.append(nil) }
        channels[index] = channel
        channelCount += 1
        return channel
    }

    /// Closes the channel's descriptor, for which no task may be waiting.
    func remove(_ channel: Channel) {
        channels[Int(channel.descriptor)] = nil
        channelCount -= 1
        close(channel.descriptor)
    }

    /// Closes all remaining descriptors, so that their peers are notified.
    ///
    /// No task may run on the loop after this.
    func removeAll() {
        for channel in channels {
            if let channel { remove(channel) }
        }
    }

    /// Registers the channel's descriptor for `interest`; if the system fails, the wait times out.
    func register(_ channel: Channel, for interest: Interest) {
        let operation = channel.registered == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        channel.registered = interest
        _ = control(operation, channel.descriptor, events: interest.events)
    }

    /// Waits until something is ready, and returns the number of ready channels.
    func wait(milliseconds: Int32) -> Int {
        let capacity = Int32(Self.eventsAtOnce)
        return max(0, Int(unsafe epoll_wait(epoll, events.baseAddress, capacity, milliseconds)))
    }

    /// Resumes the tasks that wait for the events of the last call of `wait`.
    ///
    /// First, it receives the bytes of idle connections, if there are several events.
    func dispatch(_ count: Int, receivingInto inbox: inout Inbox) {
        inbox.empty()
        if count > 1 {
            for index in 0..<count {
                let channel = channel(of: unsafe events[index].data.fd)
                guard let channel, channel.isWaiting, channel.receivesAhead else { continue }
                channel.receiveAhead(into: &inbox)
            }
        }
        for index in 0..<count {
            dispatch(descriptor: unsafe events[index].data.fd, events: unsafe events[index].events)
        }
    }

    /// Ends the waits whose deadline has passed; O(n) for n channels.
    func expire(now: Int64) {
        for channel in channels {
            if let channel, channel.isWaiting, channel.deadline <= now { channel.resume(.timedOut) }
        }
    }

    /// Ends the interruptible waits; O(n) for n channels.
    func interrupt() {
        for channel in channels {
            if let channel, channel.isInterruptible { channel.resume(.interrupted) }
        }
    }

    private func channel(of descriptor: Int32) -> Channel? {
        let index = Int(descriptor)
        return channels.indices.contains(index) ? channels[index] : nil
    }

    private func dispatch(descriptor: Int32, events: UInt32) {
        if descriptor == wakeUp.descriptor { return wakeUp.clear() }
        guard let channel = channel(of: descriptor) else { return watched.dispatch(descriptor) }
        if channel.isWaiting { return channel.resume(.ready) }
        // No task waits, because it is processing a request. Level-triggered events would be
        // reported repeatedly, and a hang-up even without any interest.
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            channel.registered = nil
            _ = control(EPOLL_CTL_DEL, descriptor, events: 0)
        } else {
            register(channel, for: .nothing)
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, events: UInt32) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.fd = descriptor
        return unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}
