package import Model

/// The stores that a case examines: all of them on one database that has no records.
///
/// Its members include those of `stores`.
@dynamicMemberLookup
package struct ConformanceSubject: Sendable {
    package var stores: Stores
    package var transfer: any RecordTransfer

    package init(_ stores: Stores, _ transfer: any RecordTransfer) {
        self.stores = stores
        self.transfer = transfer
    }

    package subscript<Store>(dynamicMember member: WritableKeyPath<Stores, Store>) -> Store {
        get { stores[keyPath: member] }
        set { stores[keyPath: member] = newValue }
    }
}
