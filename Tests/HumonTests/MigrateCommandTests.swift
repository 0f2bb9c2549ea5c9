import Testing

@Suite struct MigrateCommandTests {
    @Test func `lists the migrations in columns, with their times`() throws {
        let program = try Program()
        let pending = try program.run("migrate --status")
        #expect(try program.run("migrate").status == 0)
        let applied = try program.run("migrate --status")

        #expect(pending.status == 0)
        #expect(applied.status == 0)
        let names = pending.output.split(separator: "\n").map { $0.dropFirst("pending  ".count) }
        #expect(names.first == "0001_create_users" && names.last == Substring(NewestMigration.name))
        #expect(pending.output == names.map { "pending  \($0)\n" }.joined())
        let time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        #expect(
            applied.output.replacing(time, with: "TIME") == names.map { "TIME  \($0)\n" }.joined()
        )
    }
}
