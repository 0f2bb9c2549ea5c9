import Bytes

/// How events are represented to clients, in bytes that a storage may keep.
package struct EventRepresentation: Sendable {
    /// Returns the bytes of an event.
    package let event: @Sendable (Event) -> [UInt8]
    /// Reads the coordinate from an event's representation.
    ///
    /// Returns nil if the bytes contain no coordinate.
    package let coordinate: @Sendable (Span<UInt8>) -> Coordinate?
    /// The bytes before a list, between its events, and after it.
    package let list: (opening: UInt8, separator: UInt8, closing: UInt8)
    /// The texts that all events have in common.
    package let template: RepresentationTemplate

    /// Creates a representation.
    ///
    /// - Parameters:
    ///   - event: Returns the representation of an event.
    ///   - coordinate: Returns the place in an event's representation.
    ///   - list: The bytes before, between and after the events of a list.
    ///   - template: What all events have in common.
    package init(
        event: @escaping @Sendable (Event) -> [UInt8],
        coordinate: @escaping @Sendable (Span<UInt8>) -> Coordinate? = { _ in nil },
        list: (opening: UInt8, separator: UInt8, closing: UInt8),
        template: RepresentationTemplate = RepresentationTemplate(
            opening: "",
            infix: "",
            closing: ""
        )
    ) {
        self.event = event
        self.coordinate = coordinate
        self.list = list
        self.template = template
    }

    /// Returns the packed representation of an event.
    package func packed(_ event: Event) -> [UInt8] {
        template.pack(self.event(event).span)
    }

    /// Reads the coordinate from a packed representation.
    ///
    /// Returns nil if the bytes contain no coordinate.
    package func coordinate(unpacking event: Span<UInt8>) -> Coordinate? {
        coordinate(template.unpack(event).span)
    }
}

/// The representation of a list of events.
package struct EventList: Equatable, Sendable {
    /// The number of events.
    package private(set) var count = 0
    /// The events; without `close()`, the list is not complete.
    package private(set) var bytes: [UInt8]
    private let separator: UInt8
    private let closing: UInt8

    /// Begins a list whose representation has about this size in bytes.
    package init(_ representation: EventRepresentation, capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(representation.list.opening)
        separator = representation.list.separator
        closing = representation.list.closing
    }

    /// Creates the complete list of these events.
    package init(_ representation: EventRepresentation, of events: [Event]) {
        let texts = events.map(representation.event)
        self.init(representation, capacity: texts.reduce(2) { $0 + $1.count + 1 })
        for text in texts { append(text.span) }
        close()
    }

    /// Adds the representation of an event.
    package mutating func append(_ event: Span<UInt8>) {
        bytes.append(addingCapacity: event.count + 1) { output in
            if count > 0 { output.append(separator) }
            output.append(copying: event)
        }
        count += 1
    }

    /// Adds an event that `template` has packed.
    package mutating func append(
        unpacking event: Span<UInt8>,
        _ template: RepresentationTemplate
    ) {
        bytes.append(addingCapacity: template.unpackedCount(of: event) + 1) { output in
            if count > 0 { output.append(separator) }
            template.appendUnpacked(event, to: &output)
        }
        count += 1
    }

    /// Ends the list.
    package mutating func close() {
        bytes.append(closing)
    }
}
