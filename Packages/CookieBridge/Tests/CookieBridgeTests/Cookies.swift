// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation

@_spi(Facade) @testable import CookieBridge

let start = Date(timeIntervalSince1970: 1_800_000_000)

extension CookieStoreID {
    /// A store of the tests.
    static let other = CookieStoreID(rawValue: "other")
}

func name(_ name: String, domain: String = "shop.example", path: String = "/") -> Cookie.Identity {
    Cookie.Identity(name: name, domain: domain, isHostOnly: true, path: path)
}

func cookie(
    _ text: String, _ value: String, domain: String = "shop.example", expires seconds: Double? = nil,
    isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: Cookie.SameSite = .unspecified
) -> Cookie {
    Cookie(
        name(text, domain: domain), value: value, expires: seconds.map { start.addingTimeInterval($0) }, created: start,
        isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite)
}
