/// The error for tags.
package enum TagError: Error { case tooMany, invalid }

/// Tags.
package enum Tags {
    package static func normalized(_ texts: [String]) throws(TagError) -> [String] {
        if texts.count > 10 { throw .tooMany }
        return texts.map { $0.lowercased() }
    }
}
