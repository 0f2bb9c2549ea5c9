// The part of Apple's SwiftUI that Examples/NearbyApp uses, as it is documented. Nothing runs.

@_exported import Foundation
@_exported import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
/// A view that Apple draws.
@MainActor @preconcurrency public protocol _Drawn: View {}
extension _Drawn { public var body: Never { fatalError() } }
extension Never: View { public var body: Never { fatalError() } }
extension Optional: View, _Drawn where Wrapped: View {}
public struct _Either<A: View, B: View>: _Drawn {}
public struct TupleView<T>: _Drawn {}

@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_: Content) -> Content { fatalError() }
    public static func buildBlock<Content: View>(_: Content) -> Content { fatalError() }
    public static func buildBlock<each Content: View>(
        _: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildEither<A: View, B: View>(first: A) -> _Either<A, B> { fatalError() }
    public static func buildEither<A: View, B: View>(second: B) -> _Either<A, B> { fatalError() }
    public static func buildIf<Content: View>(_: Content?) -> Content? { fatalError() }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    init()
}
extension App { public static func main() {} }
@MainActor @preconcurrency public protocol Scene {}
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_: Content) -> Content { fatalError() }
}
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}
extension State: Sendable where Value: Sendable {}
public struct Binding<Value> {}
@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}
public struct EnvironmentValues { public var dismiss: DismissAction { fatalError() } }
@MainActor @preconcurrency public struct DismissAction { public func callAsFunction() {} }

public struct Text: _Drawn {
    public init(_ content: some StringProtocol) {}
    public init(_ date: Date, style: DateStyle) {}
    public struct DateStyle: Sendable { public static let date = Self() }
}
public struct ButtonRole: Equatable, Sendable { public static let destructive = Self() }
public struct Button: _Drawn {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    public init(
        _ title: some StringProtocol,
        role: ButtonRole?,
        action: @escaping @MainActor () -> Void
    ) {}
}
public struct TextField: _Drawn {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}
public struct ContentUnavailableView: _Drawn {
    public init(_ title: some StringProtocol, systemImage: String, description: Text? = nil) {}
}
public struct List: _Drawn {
    public init(@ViewBuilder content: () -> some View) {}
    public init<Data: RandomAccessCollection>(
        _ data: Data,
        @ViewBuilder rowContent: @escaping (Data.Element) -> some View
    ) where Data.Element: Identifiable {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: _Drawn {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where ID == Data.Element.ID, Data.Element: Identifiable {}
}
public struct Section: _Drawn {
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> some View) {}
}
public struct NavigationStack: _Drawn { public init(@ViewBuilder root: () -> some View) {} }
public struct NavigationLink: _Drawn {
    public init(_ title: some StringProtocol, @ViewBuilder destination: () -> some View) {}
}
public enum Visibility: Sendable { case automatic, visible, hidden }

extension View {
    public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    public func toolbar(@ViewBuilder content: () -> some View) -> some View { self }
    public func overlay(@ViewBuilder content: () -> some View) -> some View { self }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    public func confirmationDialog(
        _ title: some StringProtocol,
        isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> some View
    ) -> some View { self }
}
