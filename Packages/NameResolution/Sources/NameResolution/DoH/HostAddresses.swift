// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The addresses of a host from the answers to several questions of types A, AAAA and HTTPS.
struct HostAddresses: Sendable, Hashable {
    /// The port of an https URL without a port.
    private static let httpsPort: UInt16 = 443

    /// The addresses without duplicates; empty if all answers are negative.
    let addresses: [IPAddress]
    /// The time for which the addresses are valid, in seconds, the lowest of the used answers; `nil` if they must not
    /// be stored.
    let lifetime: UInt32?

    /// Combines answers.
    ///
    /// The addresses of A and AAAA records have precedence. Without them the hints of the HTTPS record with the lowest
    /// priority are used (RFC 9460, section 7.3), if it is for the port of an https URL.
    /// - Parameter responses: the responses to the questions that were answered, in the order of preference.
    init(_ responses: [DoHResponse]) {
        let found = responses.filter { !$0.answer.addresses.isEmpty }
        if !found.isEmpty {
            addresses = Self.unique(found.flatMap(\.answer.addresses))
            lifetime = Self.lowest(found)
            return
        }
        for response in responses {
            let service = response.answer.services.first { service in
                !service.hints.isEmpty && (service.port ?? Self.httpsPort) == Self.httpsPort
            }
            guard let service else { continue }
            addresses = Self.unique(service.hints)
            lifetime = response.lifetime
            return
        }
        addresses = []
        lifetime = Self.lowest(responses)
    }

    private static func unique(_ addresses: [IPAddress]) -> [IPAddress] {
        var known: Set<IPAddress> = []
        return addresses.filter { known.insert($0).inserted }
    }

    /// The lowest lifetime; `nil` if there are no responses, or if one of them must not be stored.
    private static func lowest(_ responses: [DoHResponse]) -> UInt32? {
        let lifetimes = responses.compactMap(\.lifetime)
        return lifetimes.count == responses.count ? lifetimes.min() : nil
    }
}
