/// A city with demo events; its centre is in degrees.
struct DemoCity {
    let name: String
    let latitude: Double
    let longitude: Double

    static let eventNames = [
        "Picnic", "Open-air concert", "Street food market", "Book swap", "Chess in the park",
        "Photo walk", "Swift meetup", "Flea market", "Yoga at sunrise", "Pub quiz",
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
