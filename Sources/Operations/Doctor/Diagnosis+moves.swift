import Model

extension Diagnosis {
    /// Returns a finding if writes are rejected because of `humon move`.
    static func moves(_ storage: StorageFacts) -> [Finding] {
        guard storage.isClosed else { return [] }
        return [
            .problem(
                "moves",
                "the database rejects writes, because its records are being moved or were moved",
                "Set DATABASE_URL to the database that they were moved to. To go back to this one, "
                    + "run `humon move --reopen`."
            )
        ]
    }
}
