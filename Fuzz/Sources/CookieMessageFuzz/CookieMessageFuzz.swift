// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import CookieJar
internal import Foundation
internal import FuzzSupport

/// Fuzzes the cookie messages of older pages, which replace `document.cookie`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieMessage(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    guard let document = URL(string: "https://m.shop.example/a/b") else { return 0 }
    do {
        let cookie = try LegacyCookieMessage(json: data).cookie(in: document, now: now)
        let identity = cookie.identity
        Fuzz.expect(
            ["m.shop.example", "shop.example"].contains(identity.domain), "a foreign domain: \(identity.domain)")
        Fuzz.expect(!identity.isHostOnly || identity.domain == "m.shop.example", "another host")
        Fuzz.expect(identity.path.utf8.first == UInt8(ascii: "/"), "not a path: \(identity.path)")
        guard cookie.expires.map({ $0 > now }) ?? true else { return 0 }
        let parts = [identity.name, cookie.value, identity.path]
        Fuzz.expect(
            parts.allSatisfy { $0.utf8.allSatisfy { $0 != 0x3B && $0 != 0x0A && $0 != 0x0D && $0 != 0 } },
            "a delimiter inside a cookie part")
        Fuzz.expect(!cookie.isHTTPOnly, "a script's cookie is not HttpOnly")
        Fuzz.expect(cookie.expires.map { $0 <= now + 400 * 86_400 } ?? true, "an expiry time out of range")
    } catch let error as CookieBridgeError {
        Fuzz.expectOneLine(error)
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
    return 0
}
