// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which a cookie was not stored. The jar did not change.
public struct CookieRefusal: Error, Hashable, CustomStringConvertible {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<CookieRefusal>

    /// The rule that the cookie violates.
    public let code: Code
    /// The name of the cookie; `nil` if it was not parsed.
    public let name: String?

    /// Creates an error.
    init(_ code: Code, _ name: String? = nil) {
        self.code = code
        self.name = name
    }

    /// One line without the value of the cookie.
    public var description: String {
        name.map { "\(code): cookie \($0.debugDescription)" } ?? "\(code)"
    }
}

extension ErrorCode<CookieRefusal> {
    /// The cookie has a control character (RFC 6265bis, section 5.6, step 1).
    public static var controlCharacter: Self { Self("control-character") }
    /// Name and value exceed 4,096 bytes (section 5.6, step 5), or the path exceeds 1,024 bytes (a limit of the
    /// jar).
    public static var tooLong: Self { Self("too-long") }
    /// The cookie has neither name nor value (section 5.7, step 2).
    public static var empty: Self { Self("empty") }
    /// The domain is a public suffix, or a public suffix separates it from the host (section 5.7, step 9).
    public static var publicSuffix: Self { Self("public-suffix") }
    /// The domain is neither the host nor a parent domain of it, or is not a host name (section 5.7, steps 8 and 10).
    public static var otherDomain: Self { Self("other-domain") }
    /// An insecure origin sets a secure cookie (section 5.7, step 13).
    public static var insecureOrigin: Self { Self("insecure-origin") }
    /// An insecure origin replaces a secure cookie (section 5.7, step 16).
    public static var hidesSecure: Self { Self("hides-secure") }
    /// A script sets or changes an `HttpOnly` cookie (section 5.7, steps 15 and 23).
    public static var httpOnly: Self { Self("http-only") }
    /// A request or document of another site sets a `SameSite` cookie (section 5.7, step 18).
    public static var crossSite: Self { Self("cross-site") }
    /// The cookie has `SameSite=None` without `Secure` (section 5.7, step 19).
    public static var crossSiteInsecure: Self { Self("cross-site-insecure") }
    /// The cookie violates the prefix of its name, such as `__Host-` (section 5.7, steps 20 to 22).
    public static var prefix: Self { Self("prefix") }
    /// A cookie of the app or of a file that no server could set: the domain is not a host name, the path does not
    /// start with a slash, or a date is not a number.
    public static var malformed: Self { Self("malformed") }
}
