// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the bridge asks its container on behalf of a page's script.
///
/// Isolation: the main actor. The answers are waited for by the page: they have to be there at once.
@MainActor
public protocol BridgeHosting: AnyObject {
    /// Whether requests of the page to a real URL are to come to the container.
    func covers(_ url: String) -> Bool
    /// What `document.cookie` reads in a place.
    func cookies(for place: BridgeQuestion.Place) -> String
    /// Takes what a script assigned to `document.cookie`.
    func setCookie(_ text: String, from place: BridgeQuestion.Place)
}
