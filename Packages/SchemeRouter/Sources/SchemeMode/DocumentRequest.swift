// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension HTTPRequest {
    /// Whether the engine asks for a document, the page's own or a frame's.
    ///
    /// Engines send no `Sec-Fetch-Dest` to custom schemes. WebKit begins `Accept` so for documents alone, and a page
    /// cannot change it there; a script can set the same on its own request, so this alone shows nothing.
    public var asksForDocument: Bool {
        headerFields[.accept]?.hasPrefix("text/html,application/xhtml+xml,application/xml;") ?? false
    }
}
