// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
public import WebSyntax

/// A real origin, and its host name on the local server.
///
/// Each origin has its own label under `.localhost` (RFC 6761, section 6.3). Ports cannot separate origins, because
/// cookies ignore ports. Names under a common domain would be one site for the engine. The name of an origin is the
/// same in every launch.
public struct LocalSite: Sendable, Hashable {
    /// The local host name, such as `shop-example.localhost`.
    public let name: String
    /// The real host.
    public let host: HostPort
    /// A Boolean value that indicates whether the real origin is https. The local server also serves http origins over
    /// TLS.
    public let isSecure: Bool

    /// Creates the site of an origin.
    /// - Parameters:
    ///   - host: The host of the origin.
    ///   - isSecure: A Boolean value that indicates whether the origin is https.
    public init(_ host: HostPort, isSecure: Bool) {
        self.host = host
        self.isSecure = isSecure
        let readable = isSecure && host.port == 443 ? Self.readable(host.host) : nil
        name = "\(readable ?? Self.digest(of: host, isSecure: isSecure)).localhost"
    }

    /// The real origin (RFC 6454, section 6.2).
    var origin: String { "\(isSecure ? "https" : "http")://\(host.authority(isSecure: isSecure))" }

    /// Returns a readable label: a dot becomes a hyphen, and a hyphen becomes two. Returns `nil` if the label is
    /// invalid or ambiguous.
    private static func readable(_ host: String) -> String? {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areNames = labels.allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                }
        }
        let label = labels.map { $0.replacing("-", with: "--") }.joined(separator: "-")
        // A label with this prefix is Punycode (RFC 5891, section 4.2.3.1). The length limit is from RFC 1035.
        guard areNames, labels.count > 1, !label.hasPrefix("xn--"), label.utf8.count <= 63 else { return nil }
        return label
    }

    /// Returns 128 bits of a hash of the origin in base 32. The label contains no hyphen, unlike each readable label.
    private static func digest(of host: HostPort, isSecure: Bool) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var label = ""
        var (bits, count) = (0 as UInt32, 0)
        for byte in SHA256Digest(of: Data("\(isSecure ? "https" : "http")://\(host)".utf8)).bytes.prefix(16) {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 5 {
                count -= 5
                label.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits >> UInt32(count)) & 31]))
            }
            bits &= (1 << UInt32(count)) - 1
        }
        // 128 is not a multiple of 5: the last digit has the remaining bits.
        label.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits << UInt32(5 - count)) & 31]))
        return label
    }
}

/// The served sites by their local names.
///
/// Isolation: any.
final class LocalSites: Sendable {
    private struct State {
        var sites: [String: LocalSite] = [:]
        /// The names in the order in which they were added.
        var names: [String] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The limit of sites. Above it, the site that was added least recently is removed.
    init(limit: Int) {
        self.limit = limit
    }

    func serve(_ site: LocalSite) {
        state.withLock { state in
            if state.sites.updateValue(site, forKey: site.name) != nil { state.names.removeAll { $0 == site.name } }
            state.names.append(site.name)
            if state.names.count > limit { state.sites[state.names.removeFirst()] = nil }
        }
    }

    /// Returns the served site with a name.
    /// - Parameter name: The local name, in upper or lower case.
    func site(named name: String) -> LocalSite? {
        state.withLock { $0.sites[name.asciiLowercased] }
    }
}
