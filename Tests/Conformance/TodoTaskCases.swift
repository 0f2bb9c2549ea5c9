import Model
import Rules
import Time

extension ConformanceCases {
    static let todoTasks: [ConformanceCase] = [
        ConformanceCase(.todoTasks, "creates tasks with the values given") { subject in
            let account = try await subject.account()
            let changes = [
                TodoTaskChange(), TodoTaskChange(title: "Milk 🥛"),
                TodoTaskChange(isCompleted: true), TodoTaskChange(title: "", isCompleted: false),
            ]
            for change in changes {
                let task = try await subject.todoTasks.create(change, accountID: account.id)

                try expect("the account of the task", task.accountID, equals: account.id)
                try expect("the title", task.title, equals: change.title ?? "")
                try expect("completed", task.isCompleted, equals: change.isCompleted ?? false)
                try expect("the time of change", task.updatedAt, equals: task.createdAt)
                try await expect(
                    "the stored task",
                    subject.todoTasks.find(task.id, accountID: account.id),
                    equals: task
                )
            }
        },
        ConformanceCase(.todoTasks, "creates no task of a missing account") { subject in
            let account = try await subject.account()

            try await expectRefusal(of: "the creation of a task") {
                _ = try await subject.todoTasks.create(
                    TodoTaskChange(),
                    accountID: account.id + 1
                )
            }
            try expect("all tasks", subject.stored(TodoTaskRecord.self), equals: [])
        },
        ConformanceCase(.todoTasks, "lists the tasks of an account in order") { subject in
            let account = try await subject.account("ana@example.com", token: 1)
            let other = try await subject.account("luis@example.com", token: 2)
            var (expected, others): ([TodoTask], [TodoTask]) = ([], [])
            for title in ["c", "a", "b"] {
                let change = TodoTaskChange(title: title)
                expected.append(
                    try await subject.todoTasks.create(change, accountID: account.id)
                )
                others.append(try await subject.todoTasks.create(change, accountID: other.id))
            }

            for (id, tasks) in [
                (account.id, expected), (other.id, others), (other.id + 1, []),
            ] {
                try await expect(
                    "the tasks of account \(id)",
                    subject.todoTasks.all(ofAccount: id),
                    equals: tasks
                )
            }
        },
        ConformanceCase(.todoTasks, "hides tasks from other accounts") { subject in
            let account = try await subject.account("ana@example.com", token: 1)
            let other = try await subject.account("luis@example.com", token: 2)
            let tasks = subject.todoTasks
            let task = try await tasks.create(TodoTaskChange(title: "a"), accountID: account.id)

            for id in [task.id, task.id + 1] {
                try await expect(
                    "task \(id) for another account",
                    tasks.find(id, accountID: other.id),
                    equals: nil
                )
                for precondition: Precondition<TodoTask>? in [nil, { _ in throw Refusal() }] {
                    try await expect("the update of task \(id)", throws: ModelError.notFound) {
                        try await tasks.update(
                            id,
                            accountID: other.id,
                            if: precondition,
                            TodoTaskChange(title: "b")
                        )
                    }
                    try await expect("the deletion of task \(id)", throws: ModelError.notFound) {
                        try await tasks.delete(id, accountID: other.id, if: precondition)
                    }
                }
            }
            try await expect(
                "the task",
                tasks.find(task.id, accountID: account.id),
                equals: task
            )
        },
        ConformanceCase(.todoTasks, "changes only what is given") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let other = try await tasks.create(TodoTaskChange(title: "x"), accountID: account.id)
            let task = try await tasks.create(TodoTaskChange(title: "a"), accountID: account.id)
            let steps = [
                (TodoTaskChange(title: "b"), "b", false),
                (TodoTaskChange(isCompleted: true), "b", true),
                (TodoTaskChange(), "b", true),
                (TodoTaskChange(title: "", isCompleted: false), "", false),
            ]

            for (change, title, isCompleted) in steps {
                try await tasks.update(task.id, accountID: account.id, if: nil, change)

                let found = try await tasks.find(task.id, accountID: account.id)
                try expect("the title", found?.title, equals: title)
                try expect("completed", found?.isCompleted, equals: isCompleted)
                try expect("the time of creation", found?.createdAt, equals: task.createdAt)
                try expect(
                    "whether the change is not before the creation",
                    found.map { $0.updatedAt >= $0.createdAt },
                    equals: true
                )
            }
            try await expect(
                "the other task",
                tasks.find(other.id, accountID: account.id),
                equals: other
            )
        },
        ConformanceCase(.todoTasks, "stores when tasks are created and changed") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let began = Timestamp.now()
            let task = try await tasks.create(TodoTaskChange(title: "a"), accountID: account.id)
            try expect(
                "whether the task was created while it was stored",
                (began...max(began, .now())).contains(task.createdAt),
                equals: true
            )

            // Otherwise both times can be the same millisecond.
            while Timestamp.now() <= task.createdAt { await Task.yield() }
            try await tasks.update(
                task.id,
                accountID: account.id,
                if: nil,
                TodoTaskChange(isCompleted: true)
            )

            let changed = try await tasks.find(task.id, accountID: account.id)
            try expect("the time of creation", changed?.createdAt, equals: task.createdAt)
            try expect(
                "whether the change is later",
                changed.map { $0.updatedAt > task.createdAt },
                equals: true
            )
        },
        ConformanceCase(.todoTasks, "changes nothing if the precondition throws") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let task = try await tasks.create(TodoTaskChange(title: "a"), accountID: account.id)
            let refuse: Precondition<TodoTask> = { found in
                try expect("what the precondition gets", found, equals: task)
                throw Refusal()
            }

            try await expect("the update", throws: Refusal()) {
                try await tasks.update(
                    task.id,
                    accountID: account.id,
                    if: refuse,
                    TodoTaskChange(title: "b")
                )
            }
            try await expect("the deletion", throws: Refusal()) {
                try await tasks.delete(task.id, accountID: account.id, if: refuse)
            }
            try await expect(
                "the tasks",
                tasks.all(ofAccount: account.id),
                equals: [task]
            )
        },
        ConformanceCase(.todoTasks, "deletes one task") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let kept = try await tasks.create(TodoTaskChange(), accountID: account.id)
            let task = try await tasks.create(TodoTaskChange(), accountID: account.id)

            try await tasks.delete(task.id, accountID: account.id, if: { _ in })

            try await expect("the tasks", tasks.all(ofAccount: account.id), equals: [kept])
            try await expect("the second deletion", throws: ModelError.notFound) {
                try await tasks.delete(task.id, accountID: account.id, if: nil)
            }
            let next = try await tasks.create(TodoTaskChange(), accountID: account.id)
            try expect("whether the next id is new", next.id > task.id, equals: true)
        },
        ConformanceCase(.todoTasks, "stores one of simultaneous conditional updates") { subject in
            let account = try await subject.account()
            let tasks = subject.todoTasks
            let task = try await tasks.create(TodoTaskChange(title: "a"), accountID: account.id)
            let isUnchanged: Precondition<TodoTask> = { found in
                guard found == task else { throw Refusal() }
            }

            let results = await simultaneously(8) { number in
                try await tasks.update(
                    task.id,
                    accountID: account.id,
                    if: isUnchanged,
                    TodoTaskChange(title: "\(number)")
                )
                return number
            }

            try expectOneSuccess(of: "the updates", among: results, others: Refusal())
            try await expect(
                "the title",
                tasks.find(task.id, accountID: account.id)?.title,
                equals: results.compactMap { try? $0.get() }.first.map(String.init)
            )
            try await expect("the conditional deletion", throws: Refusal()) {
                try await tasks.delete(task.id, accountID: account.id, if: isUnchanged)
            }
        },
    ]
}

extension TodoTaskRecord {
    /// A task of the account with this address.
    init(id: Int64?, email: String, title: String) {
        self.init(
            id: id,
            email: EmailAddress(stored: email),
            title: title,
            isCompleted: false,
            createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: 2)
        )
    }
}
