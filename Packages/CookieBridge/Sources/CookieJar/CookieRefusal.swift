// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a cookie was not taken. Nothing has changed then.
public struct CookieRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which rule it broke. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A control character (RFC 6265bis, section 5.6, step 1).
        public static let controlCharacter = Code("control-character")
        /// More than 4,096 bytes of name and value, or 1,024 of path (section 5.6, step 5; the path's is the jar's own).
        public static let tooLong = Code("too-long")
        /// Neither name nor value (section 5.7, step 2).
        public static let empty = Code("empty")
        /// The domain is a public suffix, or on the other side of one (section 5.7, step 9).
        public static let publicSuffix = Code("public-suffix")
        /// The domain is not that of the host or above it, or no host name (section 5.7, steps 8 and 10).
        public static let otherDomain = Code("other-domain")
        /// A secure cookie from an origin that is not (section 5.7, step 13).
        public static let insecureOrigin = Code("insecure-origin")
        /// A cookie in the place of a secure one, from an origin that is not secure (section 5.7, step 16).
        public static let hidesSecure = Code("hides-secure")
        /// A script sets or changes what scripts may not see (section 5.7, steps 15 and 23).
        public static let httpOnly = Code("http-only")
        /// Another site's request or document sets a cookie that is not for it (section 5.7, step 18).
        public static let crossSite = Code("cross-site")
        /// For all sites, and yet not secure (section 5.7, step 19).
        public static let crossSiteInsecure = Code("cross-site-insecure")
        /// The name's prefix promises what the cookie does not keep (section 5.7, steps 20 to 22).
        public static let prefix = Code("prefix")
        /// A cookie made by the app or read from a file that no server could have set: its domain is no host name, its path
        /// has no slash at the start, a date is no number.
        public static let malformed = Code("malformed")
    }

    /// Which rule it broke.
    public let code: Code
    /// The cookie's name, where it was read so far.
    public let name: String?

    init(_ code: Code, _ name: String? = nil) {
        self.code = code
        self.name = name
    }

    /// One line without the cookie's value.
    public var description: String {
        name.map { "\(code): cookie \($0.debugDescription)" } ?? "\(code)"
    }
}
