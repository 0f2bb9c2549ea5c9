/// The limits of the API; each can be changed, but none can be turned off.
package struct APILimits: Equatable, Sendable {
    /// The nesting depth of arrays and objects in a JSON body.
    package var jsonDepth = 64
    /// The number of events or check-ins in one response.
    package var results = 1000

    package init() {}
}
