import HTTP
import JSON
import Model

/// The clusters of a map: in each, the number of its events, their centre and one of them.
enum ClusterView {
    /// The size of a typical cluster, in bytes.
    private static let usualBytes = 512

    static func body(of clusters: [EventCluster]) -> ListBody {
        .json(
            clusters,
            capacity: clusters.count * usualBytes,
            in: { json, list in
                json.object { body in
                    body.key("clusters")
                    list(&body)
                }
            }
        ) { cluster, json in
            json.object { fields in
                fields.field("count", cluster.count)
                fields.field("lat", cluster.latitude)
                fields.field("lon", cluster.longitude)
                fields.key("event")
                fields.encoded(cluster.event.json.span)
            }
        }
    }
}
