import Events
import Formats
import Time

/// Events as a table of comma-separated values (RFC 4180), with the columns and cells of exports.
enum EventTable {
    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> ListBody {
        let columns = presentation.present(of: EventField.columns).filter { column in
            presentation.fields != nil || !EventField.details.contains(column)
        }
        return ListBody(
            count: rows.count,
            begin: { CSVWriter.append(row: columns.map(\.rawValue), to: &$0) },
            elements: { range, bytes in
                for row in rows[range] {
                    let cells = columns.map { cell($0, of: row, presentation) }
                    CSVWriter.append(row: cells, to: &bytes)
                }
            },
            end: { _ in }
        )
    }

    private static func cell(
        _ column: EventField,
        of row: EventRow,
        _ presentation: EventPresentation
    ) -> String? {
        switch column {
        case .createdAt: row.event.createdAt.text
        case .updatedAt: row.event.updatedAt.text
        case .distance:
            row.direction.map {
                String(presentation.unit.distance(ofMillimetres: $0.millimetres))
            }
        case .bearing: row.direction?.bearing.map { String($0) }
        default: column.cell(of: row.record)
        }
    }
}
