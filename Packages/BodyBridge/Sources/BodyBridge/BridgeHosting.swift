// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the bridge asks its container on behalf of a page's script.
///
/// Isolation: the main actor. The answers are waited for by the page: they have to be there at once.
@MainActor
public protocol BridgeHosting: AnyObject {
    /// Whether requests of the page to a real URL are to come to the container.
    func covers(_ url: String) -> Bool
    /// What `document.cookie` reads.
    /// - Parameters:
    ///   - place: the URL of the script's document, under the container's name, by the script's own word.
    ///   - top: the real URL of the document that the view shows, by the engine's word.
    ///   - provenSite: the site, as given to ``PageBridge/prove(_:)``, that the script's document has proven to be of.
    func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String
    /// Returns a Boolean value that indicates whether a document may be shown in a frame below documents of these origins.
    /// - Parameters:
    ///   - place: the URL of the document, under the container's name, by the script's own word.
    ///   - ancestors: the origins, as the engine names them.
    func mayShow(documentAt place: String, below ancestors: [String]) -> Bool
    /// Takes what a script assigned to `document.cookie`; the places are those of ``cookies(ofScriptAt:in:provenSite:)``.
    func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?)
}
