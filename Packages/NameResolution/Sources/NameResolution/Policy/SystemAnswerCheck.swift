// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The rule by which an answer of the system's resolver is used, or the secure resolvers are asked.
enum SystemAnswerCheck {
    /// The result of the rule.
    enum Result: Sendable, Hashable {
        /// An answer that is used.
        case plausible
        /// No address.
        case empty
        /// An address that a host of the public internet cannot have.
        case implausible(IPAddress, AddressScope)
    }

    /// Checks the addresses of a host.
    ///
    /// One address that is not global makes the answer of a public host implausible, because a client could choose it.
    /// - Parameters:
    ///   - addresses: the answer.
    ///   - isPublic: a Boolean value that indicates whether the app lists the host as public.
    ///   - translations: the prefixes of address translations in the current network.
    static func check(
        _ addresses: [IPAddress], isPublic: Bool, translations: [TranslationPrefix] = []
    ) -> Result {
        guard !addresses.isEmpty else { return .empty }
        guard isPublic else { return .plausible }
        for address in addresses {
            let scope = address.scope(translations: translations)
            if scope != .global { return .implausible(address, scope) }
        }
        return .plausible
    }
}
