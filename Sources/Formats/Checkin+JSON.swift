package import Rules
package import JSON
package import Model
import Time

extension Checkin {
    /// Reads a check-in from the values of the API's keys, without its invalid fields.
    ///
    /// Its time is now if none is given.
    package init(_ value: (String) -> Input) {
        self.init(
            name: Checkin.text(value("nombre")),
            category: Checkin.text(value("categoria")),
            rating: Checkin.number(value("calificacion")),
            latitude: Checkin.number(value("latitud"), in: -90...90),
            longitude: Checkin.number(value("longitud"), in: -180...180),
            userName: Checkin.text(value("usuario")),
            localTime: Checkin.text(value("fechaCreacion")).flatMap(WallClock.time) ?? .now()
        )
    }
}

extension JSONWriter {
    /// Writes the members of a check-in, except for its id; those without a value are omitted.
    package mutating func members(of checkin: Checkin) {
        if let name = checkin.name { field("nombre", name) }
        if let category = checkin.category { field("categoria", category) }
        if let rating = checkin.rating { field("calificacion", rating) }
        if let latitude = checkin.latitude { field("latitud", latitude) }
        if let longitude = checkin.longitude { field("longitud", longitude) }
        if let userName = checkin.userName { field("usuario", userName) }
        field("fechaCreacion", WallClock.text(checkin.localTime))
    }
}
