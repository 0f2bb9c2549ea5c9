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

    private typealias Place = (
        name: String, category: String, rating: Double, latitude: Double, longitude: Double
    )

    private static let places: [Place] = [
        ("Casa Lucio", "restaurante", 4, 40.4122, -3.7098),
        ("Casa Alberto", "bar", 4, 40.4138, -3.7001),
        ("La Venencia", "bar", 5, 40.4148, -3.6996),
        ("Bodega de la Ardosa", "bar", 5, 40.4247, -3.7018),
        ("El Tigre", "bar", 3, 40.4203, -3.6983),
        ("Botín", "restaurante", 4, 40.4141, -3.7081),
        ("Lhardy", "restaurante", 4, 40.4166, -3.7011),
        ("Casa Labra", "bar", 4, 40.4176, -3.7050),
        ("La Casa del Abuelo", "bar", 4, 40.4155, -3.7012),
        ("Casa Mira", "tienda", 5, 40.4163, -3.6999),
        ("Antigua Casa Talavera", "tienda", 4, 40.4205, -3.7083),
        ("Chocolatería San Ginés", "café", 5, 40.4168, -3.7070),
    ]
}

/// A city with demo events; its centre is in degrees.
struct DemoCity {
    let name: String
    let latitude: Double
    let longitude: Double

    /// A kind of event: its name and other attributes in their stored form.
    typealias Kind = (name: String, category: String, tags: String, description: String)

    static let kinds: [Kind] = [
        ("Picnic", "food", "outdoors,family", "Bring a blanket and something to share."),
        ("Open-air concert", "music", "outdoors,live music", "Three local bands.\nDoors at six."),
        ("Street food market", "food", "outdoors,market", "Thirty kitchens from ten countries."),
        ("Book swap", "books", "free,market", "Bring a book, take a book."),
        ("Chess in the park", "games", "outdoors,free", "Boards are there. All levels."),
        ("Photo walk", "art", "outdoors,free", "Two hours with a camera of any kind."),
        ("Swift meetup", "technology", "free,talks", "Two talks, then pizza."),
        ("Flea market", "market", "outdoors,family", "Old things that look for a new home."),
        ("Yoga at sunrise", "sports", "outdoors,free", "Bring a mat and warm clothes."),
        ("Pub quiz", "games", "evening", "Teams of up to six. No phones."),
    ]

    /// The kinds of events that last longer than twelve hours.
    static let longKinds: [Kind] = [
        ("Street festival", "music", "outdoors,family", "Music on four stages, and a parade."),
        ("Photo exhibition", "art", "indoors", "A hundred years of the city in pictures."),
        ("Book fair", "books", "indoors,market", "Publishers, readings and second-hand books."),
    ]

    static let addresses = [
        "Main square", "City library, room 2", "12 Garden Street", "Old town hall",
        "Riverside pavilion", "Central station, north entrance", "3 Harbour Road", "Museum café",
    ]

    /// The start and the length of an event.
    struct Slot {
        /// The range of its start, in hours from now.
        let start: ClosedRange<Int64>
        /// Its length in hours.
        let hours: Int64
    }

    /// The slots of each city's events: every time window of the map contains some.
    static let schedule = [
        Slot(start: -2...0, hours: 5), Slot(start: -20 ... -3, hours: 36),
        Slot(start: 1...5, hours: 3), Slot(start: 4...12, hours: 3), Slot(start: 12...36, hours: 2),
        Slot(start: 24...72, hours: 4), Slot(start: 48...120, hours: 3),
        Slot(start: 72...168, hours: 8), Slot(start: 96...192, hours: 3),
        Slot(start: 168...400, hours: 3), Slot(start: 300...720, hours: 4),
        Slot(start: 300...720, hours: 240),
    ]

    static let all = [
        DemoCity(name: "San Francisco", latitude: 37.7749, longitude: -122.4194),
        DemoCity(name: "New York", latitude: 40.7128, longitude: -74.0060),
        DemoCity(name: "Boston", latitude: 42.3601, longitude: -71.0589),
        DemoCity(name: "Mexico City", latitude: 19.4326, longitude: -99.1332),
        DemoCity(name: "São Paulo", latitude: -23.5505, longitude: -46.6333),
        DemoCity(name: "Buenos Aires", latitude: -34.6037, longitude: -58.3816),
        DemoCity(name: "London", latitude: 51.5074, longitude: -0.1278),
        DemoCity(name: "Madrid", latitude: 40.4168, longitude: -3.7038),
        DemoCity(name: "Lisbon", latitude: 38.7223, longitude: -9.1393),
        DemoCity(name: "Paris", latitude: 48.8566, longitude: 2.3522),
        DemoCity(name: "Berlin", latitude: 52.5200, longitude: 13.4050),
        DemoCity(name: "Stockholm", latitude: 59.3293, longitude: 18.0686),
        DemoCity(name: "Warsaw", latitude: 52.2297, longitude: 21.0122),
        DemoCity(name: "Istanbul", latitude: 41.0082, longitude: 28.9784),
        DemoCity(name: "Cairo", latitude: 30.0444, longitude: 31.2357),
        DemoCity(name: "Lagos", latitude: 6.5244, longitude: 3.3792),
        DemoCity(name: "Nairobi", latitude: -1.2921, longitude: 36.8219),
        DemoCity(name: "Cape Town", latitude: -33.9249, longitude: 18.4241),
        DemoCity(name: "Mumbai", latitude: 19.0760, longitude: 72.8777),
        DemoCity(name: "Bangkok", latitude: 13.7563, longitude: 100.5018),
        DemoCity(name: "Singapore", latitude: 1.3521, longitude: 103.8198),
        DemoCity(name: "Hong Kong", latitude: 22.3193, longitude: 114.1694),
        DemoCity(name: "Seoul", latitude: 37.5665, longitude: 126.9780),
        DemoCity(name: "Tokyo", latitude: 35.6762, longitude: 139.6503),
        DemoCity(name: "Sydney", latitude: -33.8688, longitude: 151.2093),
        DemoCity(name: "Suva", latitude: -18.1416, longitude: 178.4419),
    ]
}
