// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// An absolute `http` or `https` URL in the canonical spelling of the container. The default port is removed, because a
/// custom scheme has no default port: with the port, the URL would have another origin. Spaces are percent-encoded, as
/// in engines.
@_spi(Facade) public struct RealURL: Sendable {
    /// The URL in canonical spelling.
    @_spi(Facade) public let text: String

    /// Creates a URL, or returns `nil` if the text is not an absolute `http` or `https` URL.
    @_spi(Facade) public init?(_ text: String) {
        guard var request = HTTPRequest(urlText: text), ["http", "https"].contains(request.scheme),
            let host = request.authority?.split(separator: "@", omittingEmptySubsequences: false).last,
            !host.isEmpty, !host.hasPrefix(":"), request.authority?.contains(" ") != true, text.last != " ",
            // Engines remove or escape these characters, so that the loaded URL would differ from this one.
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
