// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Which class of protocols stands for which route.
///
/// URLSession makes the instances itself and tells them nothing of the session, so that the class is all that can say
/// whose request it is. Hence one class for each route, and this one table of the process.
enum ProtocolRouteTable {
    private struct State {
        var routes: [ObjectIdentifier: ProtocolRoute] = [:]
        var lastNumber = 0
    }

    private static let state = Mutex(State())

    /// A class that stands for a route, from now until ``remove(_:)``. It never stands for another: sessions live on when
    /// their face is gone.
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

/// Makes a class for each number: digits are types, and a number is the digits around each other.
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

/// What a class of protocols stands for: a face, and the settings of the sessions that use it.
final class ProtocolRoute: Sendable {
    let settings: SessionSettings
    /// Gone when the app let go of it: its sessions then ask the network themselves.
    weak let face: URLProtocolFace?

    init(_ face: URLProtocolFace, _ settings: SessionSettings) {
        self.face = face
        self.settings = settings
    }
}
