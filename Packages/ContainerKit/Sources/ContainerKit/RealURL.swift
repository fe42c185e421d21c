// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// An absolute `http` or `https` URL, in the spelling that the house compares.
struct RealURL {
    let text: String

    init?(_ text: String) {
        guard let request = HTTPRequest(urlText: text), ["http", "https"].contains(request.scheme),
            !text.contains(where: { $0.isWhitespace || $0.isNewline })
        else { return nil }
        let fragment = text.firstIndex(of: "#").map { String(text[$0...]) } ?? ""
        self.text = request.urlText + fragment
    }
}
