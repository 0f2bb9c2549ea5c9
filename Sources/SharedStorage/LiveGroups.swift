import Events
import Model

/// The readers of live changes in their groups, and which groups a change may concern.
struct LiveGroups {
    /// A group and its readers.
    struct Members {
        let group: ChangeGroup
        var readers: [ObjectIdentifier: any ChangeReader] = [:]
    }

    private var groups: [Int: Members] = [:]
    private var numbers: [String: Int] = [:]
    /// The group of each reader.
    private var memberships: [ObjectIdentifier: Int] = [:]
    private var regions = RegionGrid()
    /// The groups of each user and of each account.
    private var users: [Int64: Set<Int>] = [:]
    private var accounts: [Int64: Set<Int>] = [:]
    private var nextNumber = 0

    var isEmpty: Bool { memberships.isEmpty }

    /// Whether a group is of a user.
    var hasUsers: Bool { !users.isEmpty }

    /// All readers; O(n).
    var readers: [any ChangeReader] { groups.values.flatMap(\.readers.values) }

    /// Adds a reader to a group.
    mutating func insert(_ reader: any ChangeReader, _ group: ChangeGroup) {
        let number = numbers[group.name] ?? nextNumber
        if groups[number] == nil {
            nextNumber += 1
            numbers[group.name] = number
            groups[number] = Members(group: group)
            setIndex(of: number, group.filter, isThere: true)
        }
        groups[number]?.readers[ObjectIdentifier(reader)] = reader
        memberships[ObjectIdentifier(reader)] = number
    }

    /// Removes a reader if it is there.
    mutating func remove(_ reader: any ChangeReader) {
        guard let number = memberships.removeValue(forKey: ObjectIdentifier(reader)) else { return }
        groups[number]?.readers[ObjectIdentifier(reader)] = nil
        if let members = groups[number], members.readers.isEmpty {
            groups[number] = nil
            numbers[members.group.name] = nil
            setIndex(of: number, members.group.filter, isThere: false)
        }
    }

    private mutating func setIndex(of number: Int, _ filter: ChangeFilter, isThere: Bool) {
        func set(_ groups: inout [Int64: Set<Int>], _ id: Int64) {
            if isThere {
                groups[id, default: []].insert(number)
            } else {
                groups[id]?.remove(number)
                if groups[id]?.isEmpty == true { groups[id] = nil }
            }
        }
        if case .region(let region, _) = filter, let circle = region.circle {
            regions.set(number, circle, isThere: isThere)
        }
        if case .tasks(let account) = filter { set(&accounts, account) }
        if let user = filter.userID { set(&users, user) }
    }

    /// Returns the groups that rows may concern, each with its rows.
    ///
    /// `attendees` are the users that attend the changed events, by event; nil if there are too
    /// many.
    func concerned(
        by rows: [LoggedRow],
        _ all: AllEvents,
        _ attendees: [Int64: [Int64]]?
    ) -> [(Members, [LoggedRow])] {
        var rowsOfGroups: [Int: [LoggedRow]] = [:]
        for row in rows {
            for number in concerned(by: row, all, attendees) {
                rowsOfGroups[number, default: []].append(row)
            }
        }
        return rowsOfGroups.compactMap { number, rows in groups[number].map { ($0, rows) } }
    }

    private func concerned(
        by row: LoggedRow,
        _ all: AllEvents,
        _ attendees: [Int64: [Int64]]?
    ) -> Set<Int> {
        var found: Set<Int> = []
        func addGroups(ofUser id: Int64?) {
            if let id, let groups = users[id] { found.formUnion(groups) }
        }
        guard let id = row.recordID else { return [] }
        switch row.kind {
        case .event:
            if row.wasPublic, let place = row.place { found.formUnion(regions.numbers(at: place)) }
            if let place = all.publicPlace(of: id) { found.formUnion(regions.numbers(at: place)) }
            if users.isEmpty { break }
            guard let attendees else { return found.union(users.values.joined()) }
            addGroups(ofUser: row.userID)
            addGroups(ofUser: all.owner(of: id))
            for user in attendees[id] ?? [] { addGroups(ofUser: user) }
        case .attendance:
            addGroups(ofUser: row.userID)
            addGroups(ofUser: row.eventID.flatMap(all.owner))
        case .task:
            if let account = row.userID, let groups = accounts[account] { found = groups }
        case .block: addGroups(ofUser: row.userID)
        case .user, .everything: break
        }
        return found
    }
}
