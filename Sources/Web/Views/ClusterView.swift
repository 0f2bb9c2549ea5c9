import Events
import JSON

/// The clusters of a map: in each, the number of its events, their centre and one of them.
enum ClusterView {
    static func body(of clusters: [EventCluster]) -> ListBody {
        .json(
            clusters,
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
