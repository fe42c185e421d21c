// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieBridge
internal import CookieJar
internal import Foundation
internal import FuzzSupport

/// Messages of older pages for `document.cookie`, and the script that tells them their cookies.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieMessage(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    checkScript(String(decoding: data, as: UTF8.self))
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    guard let document = URL(string: "https://m.shop.example/a/b") else { return 0 }
    do {
        let change = try LegacyCookieMessage(json: data).change(in: document, now: now)
        let identity = change.identity
        Fuzz.expect(
            ["m.shop.example", "shop.example"].contains(identity.domain), "a foreign domain: \(identity.domain)")
        Fuzz.expect(!identity.isHostOnly || identity.domain == "m.shop.example", "another host")
        Fuzz.expect(identity.path.utf8.first == UInt8(ascii: "/"), "no path: \(identity.path)")
        guard case .set(let cookie) = change else { return 0 }
        let parts = [identity.name, cookie.value, identity.path]
        Fuzz.expect(
            parts.allSatisfy { $0.utf8.allSatisfy { $0 != 0x3B && $0 != 0x0A && $0 != 0x0D && $0 != 0 } },
            "a letter that ends a part")
        Fuzz.expect(!cookie.isHTTPOnly, "a script's cookie is not HttpOnly")
        Fuzz.expect(cookie.expires.map { $0 > now && $0 <= now + 400 * 86_400 } ?? true, "an end that cannot be")
    } catch let error as CookieBridgeError {
        Fuzz.expect(!error.description.contains("\n"), "an error is one line: \(error)")
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
    return 0
}

/// Nothing in the string ends it, its line, or the element around it.
private func checkScript(_ text: String) {
    let script = LegacyCookieScript.assignment(of: text)
    let inner = script.unicodeScalars.dropFirst("window.original_cookie = '".unicodeScalars.count).dropLast(2)
    var isEscaped = false
    for scalar in inner {
        if isEscaped {
            isEscaped = false
        } else if scalar == "\\" {
            isEscaped = true
        } else {
            Fuzz.expect(!"'\"<>\n\r\u{2028}\u{2029}".unicodeScalars.contains(scalar), "not escaped: \(scalar.value)")
        }
    }
    Fuzz.expect(!isEscaped, "the quote at the end is escaped")
}
