/// One of the four APIs that the server can offer.
package enum ServedSystem: String, CaseIterable, Sendable {
    case humon, todo, mytasks, twosquare
}
