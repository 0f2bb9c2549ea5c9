import Model
import Time

/// The records that `humon seed` adds besides events.
enum DemoRecords {
    /// The accounts of Todo.
    static let emails = ["ana@demo.example", "luis@demo.example"].map { EmailAddress(stored: $0) }

    /// Returns the tasks of these accounts.
    static func tasks(at time: Timestamp) -> [TodoTaskRecord] {
        zip(
            emails,
            [
                ["Buy milk & eggs, 2x", "Water the plants", "Call Luis"],
                ["Book the train to Sevilla", "Repair the bike", "Call Ana"],
            ]
        ).flatMap { email, titles in
            titles.enumerated().map { index, title in
                TodoTaskRecord(
                    id: nil,
                    email: email,
                    title: title,
                    isCompleted: index == 1,
                    createdAt: time,
                    updatedAt: time
                )
            }
        }
    }

    /// The list that all MyTasks apps share.
    static let sharedTasks = [
        (343_224_000, "Buy milk", false), (343_224_064, "Walk the dog", false),
        (343_224_128, "Return the books", false), (343_224_192, "Pay the rent", true),
    ].map { id, name, isCompleted in
        SharedTaskRecord(
            id: nil,
            task: SharedTask(taskID: id, name: name),
            isCompleted: isCompleted
        )
    }

    /// A demo task that no example in the documentation adds.
    static let ownSharedTask = sharedTasks[1].task

    /// Returns a dozen check-ins in Madrid, an hour apart, the last of them at `time`.
    static func checkins(at time: Timestamp) -> [CheckinRecord] {
        let hour: Int64 = 3_600_000
        return places.enumerated().map { index, place in
            let hoursAgo = Int64(places.count - 1 - index)
            return CheckinRecord(
                id: nil,
                checkin: Checkin(
                    name: place.name,
                    category: place.category,
                    rating: place.rating,
                    latitude: place.latitude,
                    longitude: place.longitude,
                    userName: index.isMultiple(of: 2) ? "ana" : "luis",
                    localTime: Timestamp(milliseconds: time.milliseconds - hoursAgo * hour)
                )
            )
        }
    }

    private struct Place {
        let name: String
        let category: String
        let rating: Double
        let latitude: Double
        let longitude: Double

        init(_ name: String, _ category: String, _ rating: Double, _ at: (Double, Double)) {
            self.name = name
            self.category = category
            self.rating = rating
            (latitude, longitude) = at
        }
    }

    private static let places = [
        Place("Casa Lucio", "restaurante", 4, (40.4122, -3.7098)),
        Place("Casa Alberto", "bar", 4, (40.4138, -3.7001)),
        Place("La Venencia", "bar", 5, (40.4148, -3.6996)),
        Place("Bodega de la Ardosa", "bar", 5, (40.4247, -3.7018)),
        Place("El Tigre", "bar", 3, (40.4203, -3.6983)),
        Place("Botín", "restaurante", 4, (40.4141, -3.7081)),
        Place("Lhardy", "restaurante", 4, (40.4166, -3.7011)),
        Place("Casa Labra", "bar", 4, (40.4176, -3.7050)),
        Place("La Casa del Abuelo", "bar", 4, (40.4155, -3.7012)),
        Place("Casa Mira", "tienda", 5, (40.4163, -3.6999)),
        Place("Antigua Casa Talavera", "tienda", 4, (40.4205, -3.7083)),
        Place("Chocolatería San Ginés", "café", 5, (40.4168, -3.7070)),
    ]
}
