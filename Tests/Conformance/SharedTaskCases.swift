import Model

extension ConformanceCases {
    static let sharedTasks: [ConformanceCase] = [
        ConformanceCase(.sharedTasks, "lists pending tasks as they were added") { subject in
            try await expect("the tasks", subject.sharedTasks.pending(), equals: [])
            let tasks = [
                SharedTask(taskID: 3, name: "c"), SharedTask(taskID: Int64.max, name: "a"),
                SharedTask(taskID: Int64.min, name: "b 🧺"), SharedTask(taskID: 0, name: ""),
            ]

            for task in tasks { try await subject.sharedTasks.add(task) }

            try await expect("the tasks", subject.sharedTasks.pending(), equals: tasks)
        },
        ConformanceCase(.sharedTasks, "completes every pending task with an id") { subject in
            let tasks = [
                SharedTask(taskID: 1, name: "a"), SharedTask(taskID: 2, name: "b"),
                SharedTask(taskID: 1, name: "a"), SharedTask(taskID: 1, name: "c"),
            ]
            for task in tasks { try await subject.sharedTasks.add(task) }
            try await expect("the tasks", subject.sharedTasks.pending(), equals: tasks)

            try await subject.sharedTasks.complete(taskID: 1)

            try await expect(
                "the tasks after the completion",
                subject.sharedTasks.pending(),
                equals: [SharedTask(taskID: 2, name: "b")]
            )
            try expect(
                "which rows are completed",
                subject.stored(SharedTaskRecord.self).map(\.isCompleted),
                equals: [true, false, true, true]
            )
        },
        ConformanceCase(.sharedTasks, "adds a task with the id of a completed one") { subject in
            let task = SharedTask(taskID: 1, name: "a")
            try await subject.sharedTasks.add(task)
            try await subject.sharedTasks.complete(taskID: 1)

            try await subject.sharedTasks.add(task)

            try await expect("the tasks", subject.sharedTasks.pending(), equals: [task])
        },
        ConformanceCase(.sharedTasks, "completes nothing with an unknown id") { subject in
            let task = SharedTask(taskID: 1, name: "a")
            try await subject.sharedTasks.add(task)

            for id in [2, 0, -1, Int64.max, Int64.min] {
                try await subject.sharedTasks.complete(taskID: id)
            }

            try await expect("the tasks", subject.sharedTasks.pending(), equals: [task])
        },
    ]
}
