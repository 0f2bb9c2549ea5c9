import Conformance
import StorageSupport
import Testing

/// Cases on stores that make mistakes: a case that cannot fail tests nothing.
@Suite struct BrokenStoreTests {
    private typealias Finding = (name: String, failure: String)

    private static let findings: [StorageFault: Finding] = [
        .forgetsFirstEvent: (
            "finds events in a city",
            """
            the ids of at most 1000 events within 5.0 km of 37.771098, -122.430782: \
            expected [1, 2], got [2]
            """
        ),
        .showsPrivateEvents: (
            "shows a private event to its owner and guests only",
            "event for 3"
        ),
        .forgetsDates: (
            "stores when events are created and changed",
            "whether the event was created while it was stored: expected true, got false"
        ),
        .forgetsUpdates: (
            "stores when events are created and changed",
            "whether the update is later: expected true, got false"
        ),
        .ordersFarthestFirst: (
            "orders events at the same place by id",
            """
            the ids of at most 50 events within 100.0 km of 12.3, 98.7: \
            expected [1, 2, 3, …] from index 0 of 50, got [50, 49, 48, …] from index 0 of 50
            """
        ),
        .ignoresLimit: (
            "finds nothing within an impossible radius or limit",
            "the ids of at most 0 events within 100.0 km of 0.0, 0.0: expected [], got [1]"
        ),
        .representsFirstEventOnly: (
            "finds an event as it was created",
            "the representation of event 2: expected "
        ),
        .remembersEveryEvent: (
            "finds an event as it was created",
            "the representation of event 1 in memory, if it is there: expected "
        ),
        .listsOneEventOnly: (
            "finds events in a city",
            "the representations of the page of EventQuery("
        ),
        .ignoresPreconditions: (
            "stores one of simultaneous conditional updates",
            "how many of the updates succeed: expected 1, got 8"
        ),
        .ignoresOwners: (
            "checks existence and owner first",
            "the update by user 2: expected the error forbidden, got the error Refusal()"
        ),
        .updatesWhatItSawFirst: (
            "shows each update the update before it",
            "the number of updates that were counted: expected \"64\", got \"1\""
        ),
        .ignoresRepeatedDeletion: (
            "reports that an event was deleted before",
            "the second deletion: expected the error notFound, got no error"
        ),
        .repeatsFirstPage: (
            "returns every event once across pages",
            "the ids of all pages by distance: expected "
        ),
        .ignoresTimes: (
            "finds events at the earliest and the latest time",
            "the ids of the events in EventWindow("
        ),
        .ignoresAttendees: (
            "finds an attended event until the attendance ends",
            "the events before: expected [], got [1]"
        ),
        .countsRowsOfPage: (
            "finds the current events after changes",
            "the number of events for the page of EventQuery("
        ),
        .measuresNoDirections: (
            "finds the current events after changes",
            "the directions of the page of EventQuery("
        ),
        .continuesAfterLastPage: (
            "returns events with their creation and update times",
            "the next page: expected nil, got EventPosition("
        ),
        .omitsSmallestCluster: (
            "counts the same clusters as a comparison with every event, seed 1",
            "the counts of ClusterQuery("
        ),
        .datesPagesWrong: (
            "returns events with their creation and update times",
            "the rows of the page: expected "
        ),
        .excludesStartsOfWindows: (
            "includes the start of a window but not its end",
            "the events in EventWindow("
        ),
        .cutsBoxesAtAntimeridian: (
            "finds events in a box across the antimeridian",
            """
            the events between the meridians 170.0 and -170.0 by start(isDescending: false): \
            expected [1, 2, 3, 4, 5, 6], got [1, 2, 3, 4]
            """
        ),
        .ignoresPolygons: (
            "finds events in a polygon around a pole",
            "the events in the polygon by start(isDescending: false): expected "
        ),
        .misplacesClusters: (
            "rounds the mean of places, but not a single place",
            "the place of the cluster of event 1: expected 10.00001, 20.00001, got 10.00001, 20.0"
        ),
        .prefersNewestEvents: (
            "prefers lower ids at equal distances",
            """
            the ids of at most 3 events within inf km of 0.0, 0.0: \
            expected [1, 2, 3], got [1, 3, 2]
            """
        ),
        .skipsEventAfterPage: (
            "returns an event once while others change",
            "the ids of all pages by distance: expected "
        ),
        .unescapesNames: (
            "stores texts that look like SQL, patterns or arrays",
            "the bytes of the event's name "
        ),
        .ignoresLastBytesOfTokens: (
            "distinguishes tokens by every byte",
            "the user with the digest ["
        ),
        .normalizesNoAddresses: (
            "finds an account however its address is typed",
            "the account with the address "
        ),
        .signsOutTwice: (
            "signs out once",
            "how many of the sign-outs end the session: expected 1, got 32"
        ),
        .endsNoSessions: (
            "counts the sessions of an account that it ends",
            "the account that token 1 is signed in to: expected nil, got 1"
        ),
        .forgetsTimesOfChanges: (
            "stores when tasks are created and changed",
            "whether the change is later: expected true, got false"
        ),
        .commitsFailedImports: (
            "stores no record of any kind if an import throws",
            "the events: expected [1], got [1, 2]"
        ),
        .createsUserForEachRequest: (
            "keeps one user for simultaneous first requests",
            "the number of users with one token: expected 1, got 32"
        ),
        .keepsRevokedTokens: (
            "makes a revoked token useless",
            "the user with the revoked token: expected nil, got User(id: 1, "
        ),
        .keepsEventsOfDeletedUsers: (
            "deletes all that a user has stored",
            "the events: expected [2], got [1, 2, 3]"
        ),
        .ignoresIssuers: (
            "creates a user for a new identity, and finds it again",
            "another issuer: expected "
        ),
        .linksNoDevices: (
            "links a new identity to the device's user",
            "the sign-in: expected "
        ),
        .asksBeforeNoMerge: (
            "asks before it moves the records of a device",
            "the sign-in: expected "
        ),
        .mergesNothing: (
            "merges two users for an operator, and neither if banned",
            "with a banned user: expected "
        ),
        .endsNoDevices: (
            "lists, names and ends devices",
            "its users: expected [1, nil, 2]"
        ),
        .keepsReplacedTokens: (
            "replaces a token once its successor is used",
            "after: expected [nil, nil, 1]"
        ),
        .removesLastIdentity: (
            "adds and removes identities",
            "the last one: expected "
        ),
        .forgetsNames: (
            "shows the name of a user",
            "the owner's name: expected "
        ),
        .deletesWithAnyHash: (
            "deletes an account whose password has not changed",
            "whether it was deleted with another hash: expected false, got true"
        ),
        .hidesNothing: (
            "hides an event from everybody but its owner",
            "the event for 0: expected false, got true"
        ),
        .bansNobody: (
            "bans a user and hides the user's events",
            "what everybody finds: expected [], got [1]"
        ),
        .blocksNobody: (
            "keeps the events of blocked owners from a user",
            "what the user finds: expected [2, 3], got [1, 2, 3]"
        ),
        .repeatsReports: (
            "keeps one open report of a user about a record",
            "whether the same one is: expected nil, got 1"
        ),
        .forgetsReports: (
            "keeps one open report of a user about a record",
            "the records: expected [event(1), user(1)], got []"
        ),
        .undoesNothing: (
            "undoes each action once",
            "the state after undo: expected nil, got admin"
        ),
        .editsNothing: (
            "edits any event for an operator",
            "the attributes: expected "
        ),
        .restoresNothing: (
            "restores a deleted event with its attendances",
            "the attendances: expected [Attendance("
        ),
        .repeatsPages: (
            "lists in pages that neither skip nor repeat",
            "the users: expected [5, 4, 3, 2], got [5, 4, 6, 5]"
        ),
        .countsNothing: (
            "counts what there is of a user and of all",
            "the totals: expected "
        ),
        .acceptsAnyCode: (
            "deletes a user's data by the latest code, once",
            "deleting by the replaced code: expected false, got true"
        ),
        .forgetsDeletions: (
            "repeats deletions after a restore",
            "the list: expected [user(1), account(1)], got []"
        ),
        .addsAdminsTwice: (
            "lists admins in the order of their names, each name once",
            "the name again: expected the error conflict("
        ),
        .keepsAdminsPasswords: (
            "ends the tokens of an admin whose password is reset",
            "the admin with token 1: expected nil, got Admin(id: 1, name: \"ana\", "
        ),
        .signsInDisabledAdmins: (
            "keeps a disabled admin out until the admin is enabled",
            "whether token 4 of ana is added: expected false, got true"
        ),
        .acceptsFormerPasswords: (
            "ends the tokens of an admin whose password is reset",
            "whether token 4 of ana is added: expected false, got true"
        ),
        .acceptsExpiredTokens: (
            "ends a token at its end and at sign-out",
            "the admin with token 3: expected nil, got Admin(id: 1, name: \"ana\", "
        ),
        .keepsIdleSessions: (
            "ends a session after an hour without a request",
            "the admin with token 1: expected nil, got Admin(id: 1, name: \"ana\", "
        ),
        .signsNoAdminOut: (
            "ends a token at its end and at sign-out",
            "the admin with token 2: expected nil, got Admin(id: 1, name: \"ana\", "
        ),
        .disablesUnknownAdmins: (
            "reports that an admin does not exist",
            "disabling true: expected the error notFound, got no error"
        ),
        .forgetsActors: (
            "writes to the audit what is done about admins",
            "the actions: expected [\"add by cli:eva\", "
        ),
        .countsEventsOfOthers: (
            "counts a user's events and attendances",
            """
            the summary of a new user: expected \
            UserSummary(id: 1, eventCount: 0, attendanceCount: 0, isBanned: false, name: nil, \
            issuers: []), \
            got UserSummary(id: 1, eventCount: 3, attendanceCount: 0, isBanned: false, \
            name: nil, issuers: [])
            """
        ),
        .listsAttendancesBackwards: (
            "keeps one attendance for each user and event",
            """
            the attendances: expected [Attendance(id: 1, userID: 2, eventID: 1, userName: nil), \
            Attendance(id: 2, userID: 1, eventID: 1, userName: nil)], \
            got [Attendance(id: 2, userID: 1, eventID: 1, userName: nil), \
            Attendance(id: 1, userID: 2, eventID: 1, userName: nil)]
            """
        ),
        .keepsSessions: (
            "ends earlier sessions with each sign-in",
            "the account that token 1 is signed in to: expected nil, got 1"
        ),
        .ignoresChangedHashes: (
            "rejects a sign-in with a password that changed",
            "whether the sign-in with the hash changed succeeds: expected false, got true"
        ),
        .showsTasksOfFirstAccount: (
            "hides tasks from other accounts",
            "task 1 for another account: expected nil, got TodoTask(id: 1, accountID: 1, "
        ),
        .losesSharedTaskWithKnownID: (
            "completes every pending task with an id",
            """
            the tasks: expected [SharedTask(taskID: 1, name: "a"), \
            SharedTask(taskID: 2, name: "b"), SharedTask(taskID: 1, name: "a"), \
            SharedTask(taskID: 1, name: "c")], \
            got [SharedTask(taskID: 1, name: "a"), SharedTask(taskID: 2, name: "b")]
            """
        ),
        .ordersCategoriesByUTF16: (
            "lists each category once, by code points",
            """
            at most 9 categories: expected ["\u{FF61}", "🧺"] from index 7 of 9, \
            got ["🧺", "\u{FF61}"] from index 7 of 9
            """
        ),
        .changesInstallation: (
            "has a random UUID that stays the same",
            """
            the UUID later: expected "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0101", \
            got "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0102"
            """
        ),
        .ignoresStrictness: (
            "stops a strict import at the first obstacle",
            """
            the results: expected [imported(id: 4), imported(id: 6), idIsTaken], \
            got [imported(id: 4), imported(id: 6), idIsTaken, imported(id: 9)]
            """
        ),
        .cutsNames: (
            "accepts the longest texts of an event",
            """
            the event: expected …\(String(repeating: "x", count: 50))x", address: "xx
            """
        ),
    ]

    @Test("A case fails on a store that", arguments: StorageFault.allCases)
    func fails(fault: StorageFault) async throws {
        let finding = try #require(Self.findings[fault])
        let conformanceCase = try #require(
            ConformanceCases.all.last { $0.name == finding.name }
        )
        let storage = try StorageFixture()

        let failure = await #expect(throws: ConformanceFailure.self) {
            try await conformanceCase.run(on: storage.subject.broken(by: fault))
        }

        let description = try #require(failure?.description)
        // Times and long texts follow.
        #expect(description.hasPrefix(finding.failure), "\(description)")
    }
}
