// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The table of routes by protocol class.
///
/// URLSession creates the protocol instances and passes no information about the session. Only the class can identify
/// the route of a request, so there is one class for each route.
enum ProtocolRouteTable {
    private struct State {
        var routes: [ObjectIdentifier: ProtocolRoute] = [:]
        var lastNumber = 0
    }

    private static let state = Mutex(State())

    /// Creates a class for a route, valid until ``remove(_:)``. A class is never reused, because sessions can outlive
    /// their face.
    static func makeType(for route: ProtocolRoute) -> RoutedProtocol.Type {
        state.withLock { state in
            state.lastNumber += 1
            let type = TypeNumber.type(for: state.lastNumber)
            state.routes[ObjectIdentifier(type)] = route
            return type
        }
    }

    static func route(of type: RoutedProtocol.Type) -> ProtocolRoute? {
        state.withLock { $0.routes[ObjectIdentifier(type)] }
    }

    static func remove(_ type: RoutedProtocol.Type) {
        state.withLock { $0.routes[ObjectIdentifier(type)] = nil }
    }
}

/// A generator of distinct classes. A number is encoded as nested generic types, one for each binary digit.
private enum TypeNumber {
    private enum End {}
    private enum Zero<Rest> {}
    private enum One<Rest> {}
    private final class Numbered<Number>: RoutedProtocol {}

    static func type(for number: Int) -> RoutedProtocol.Type {
        type(for: number, End.self)
    }

    private static func type<Number>(for number: Int, _: Number.Type) -> RoutedProtocol.Type {
        switch (number, number & 1) {
        case (0, _): Numbered<Number>.self
        case (_, 0): type(for: number >> 1, Zero<Number>.self)
        default: type(for: number >> 1, One<Number>.self)
        }
    }
}

/// The route of a protocol class: a face and the settings of its sessions.
final class ProtocolRoute: Sendable {
    private struct Reference {
        weak var face: URLProtocolFace?
    }

    let settings: SessionSettings
    private let reference: Mutex<Reference>

    /// The face; `nil` after the app has released it. Its sessions then use the network directly.
    var face: URLProtocolFace? { reference.withLock { $0.face } }

    init(_ face: URLProtocolFace, _ settings: SessionSettings) {
        reference = Mutex(Reference(face: face))
        self.settings = settings
    }
}
