import Model

extension ConformanceCases {
    static let installation: [ConformanceCase] = [
        ConformanceCase(.installation, "has a random UUID that stays the same") { subject in
            let uuid = try await subject.installation.uuid()

            try expect(
                "whether \(uuid) is a UUID of version 4 in lower case",
                uuid.wholeMatch(
                    of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
                ) != nil,
                equals: true
            )
            _ = try await subject.user()
            _ = try await subject.event()
            try await expect("the UUID later", subject.installation.uuid(), equals: uuid)
        },
        ConformanceCase(.installation, "has one UUID for simultaneous first requests") { subject in
            let results = await simultaneously(32) { _ in try await subject.installation.uuid() }

            let uuids = try results.map { try $0.get() }
            try expect("the number of UUIDs", Set(uuids).count, equals: 1)
        },
    ]
}
