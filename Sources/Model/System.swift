/// One of the four APIs that the server can offer.
package enum System: String, CaseIterable, Sendable {
    case humon, todo, mytasks, twosquare
}
