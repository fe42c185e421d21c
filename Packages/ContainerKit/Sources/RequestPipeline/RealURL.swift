// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// An absolute `http` or `https` URL, in the spelling that the house compares: without the scheme's own port, which a
/// custom scheme would not know and take for another origin, and with blanks as engines write them.
package struct RealURL {
    /// The URL in that spelling.
    package let text: String

    /// Returns `nil` if the text is not such a URL.
    package init?(_ text: String) {
        guard var request = HTTPRequest(urlText: text), ["http", "https"].contains(request.scheme),
            let host = request.authority?.split(separator: "@", omittingEmptySubsequences: false).last,
            !host.isEmpty, !host.hasPrefix(":"), request.authority?.contains(" ") != true, text.last != " ",
            // Engines drop or escape these, so that the URL they load would not be the one compared here.
            !text.unicodeScalars.contains(where: {
                $0.properties.isWhitespace && $0 != " " || $0.value < 0x20 || $0.value == 0x7F || $0 == "\\"
            })
        else { return nil }
        request.path = request.path?.replacing(" ", with: "%20")
        let ownPort = request.scheme == "http" ? ":80" : ":443"
        if let authority = request.authority, authority.hasSuffix(ownPort) {
            request.authority = String(authority.dropLast(ownPort.count))
        }
        let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[$0...]) } ?? ""
        self.text = request.urlText + fragment.replacing(" ", with: "%20")
    }
}
