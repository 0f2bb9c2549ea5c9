package import JSON
package import Model
import Time

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
