import Model
import Operations
import Rules
import Time
import Web

extension Commands {
    /// The commands about the names, the devices and the identities of users.
    static let identities = [
        CommandRow(
            "user rename",
            arguments: "USER_ID [NAME]",
            "Change the name of a user, or remove it."
        ) { arguments in
            try arguments.end(after: 2)
            let words = arguments.positional
            let id = try Arguments.id(of: "a user", words.first ?? "")
            var validation = Validation()
            let input = words.count > 1 ? Input.text(words[1]).nullIfBlank : .null
            let name = validation.optional("Name", input, .displayName)
            if let error = validation.errors.first { throw UsageError(error.sentence + ".") }
            return StoreWork(missing: "There is no user \(id).") { stores, _ in
                try await stores.signIns.rename(id, to: name, by: Machine.actor)
                return "User \(id) has \(name == nil ? "no" : "a new") name."
            }
        },
        CommandRow(
            "user devices",
            arguments: "USER_ID",
            "List the devices of a user, newest first."
        ) { arguments in
            let id = try Arguments.id(of: "a user", arguments.only("USER_ID"))
            return StoreWork(missing: "There is no user \(id).") { stores, _ in
                let rows = try await stores.signIns.devices(ofUser: id).map { device in
                    [
                        String(device.id), TextTable.printable(device.name ?? "-"),
                        device.createdAt.text, device.lastSeenOn.map(SignInView.day) ?? "-",
                    ]
                }
                return TextTable.text([["ID", "NAME", "CREATED", "LAST SEEN"]] + rows)
            }
        },
        CommandRow(
            "user identities",
            arguments: "USER_ID",
            "List the issuers with which a user signs in."
        ) { arguments in
            let id = try Arguments.id(of: "a user", arguments.only("USER_ID"))
            return StoreWork(missing: "There is no user \(id).") { stores, _ in
                let rows = try await stores.signIns.identities(ofUser: id).map { identity in
                    [String(identity.id), identity.issuer, identity.createdAt.text]
                }
                return TextTable.text([["ID", "ISSUER", "CREATED"]] + rows)
            }
        },
        CommandRow(
            "user merge",
            arguments: "FROM INTO",
            "Move everything of a user to another one.",
            notes: [mergeNote]
        ) { arguments in
            try arguments.end(after: 2)
            let words = arguments.positional
            guard words.count == 2 else {
                throw UsageError("Two ids are needed. See `humon help user merge`.")
            }
            let id = try Arguments.id(of: "a user", words[0])
            let other = try Arguments.id(of: "a user", words[1])
            guard id != other else {
                throw UsageError("FROM and INTO are both \(id). Name two different users.")
            }
            let both = "User \(id) or user \(other)"
            return StoreWork(missing: "\(both) doesn't exist.") { stores, _ in
                do {
                    try await stores.signIns.merge(id, into: other, by: Machine.actor)
                } catch ModelError.banned {
                    throw OperatorError("\(both) is banned. Unban both first.")
                }
                return "User \(id) is now part of user \(other)."
            }
        },
    ]

    private static let mergeNote = """
        Events, attendances, blocks, reports, devices and sign-ins move, and the first user is
        gone. This can't be undone. It helps a person who has lost a phone before the first
        sign-in.
        """
}
