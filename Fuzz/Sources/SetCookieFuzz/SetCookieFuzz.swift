// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) internal import CookieJar
internal import Foundation
internal import FuzzSupport
internal import WebSyntax

/// Fuzzes the parser of `Set-Cookie` fields and script cookies, and the cookie store. The first line is a URL or a
/// path, and each later line is a field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSetCookie(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(Substring($0))
    }
    let first = lines.removeFirst()
    guard let url = CookieURL(first) ?? CookieURL("https://shop.example/\(first)") ?? CookieURL("https://shop.example/")
    else { return 0 }
    Fuzz.expect(
        CookieURL(scheme: url.scheme, host: url.host, path: url.path) == url, "a URL differs from its parts: \(url)")
    Fuzz.expect(url.matches(path: url.defaultPath), "a default path does not match its URL: \(url)")

    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let jar = CookieStore(publicSuffixes: TopLevelSuffixes(), now: { now })
    let received = ReceivedChanges()
    jar.observe { received.receive($0) }
    for (number, line) in lines.enumerated() {
        guard let field = try? SetCookie(parsing: line) else { continue }
        Fuzz.expect(
            field.name.utf8.count + field.value.utf8.count <= 4_096 && !field.name.utf8.contains(UInt8(ascii: "=")),
            "an invalid pair: \(line)")
        let again = try? SetCookie(parsing: field.fieldValue)
        Fuzz.expect(again == field && again?.fieldValue == field.fieldValue, "the normal form is not stable: \(line)")
        if number.isMultiple(of: 2) {
            jar.store(setCookies: [line], from: url)
        } else {
            try? jar.setFromScript(line, at: url)
        }
    }
    for cookie in jar.cookies {
        Fuzz.expect((try? jar.insert(cookie)) != nil, "the store contains a cookie that it rejects: \(cookie)")
        Fuzz.expect(
            cookie.expires.map { $0 > now && $0 <= now + 34_560_000 } ?? true, "an expiry time out of range: \(cookie)")
        Fuzz.expect(!cookie.isSecure || url.isSecure, "a secure cookie of an insecure URL: \(cookie)")
    }
    let sent = jar.cookieHeader(for: url) ?? ""
    Fuzz.expect(!sent.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "a field with a line end or NUL: \(sent)")
    Fuzz.expect(jar.scriptCookieString(for: url).utf8.count <= sent.utf8.count, "scripts see more cookies than servers")
    Fuzz.expect(received.version == jar.version, "a change was not reported")
    jar.clear(ClearSiteData(fieldValues: lines), from: url)
    jar.removeAll()
    Fuzz.expect(jar.cookies.isEmpty && received.version == jar.version, "cookies remain")
    return 0
}

/// A public suffix list whose suffixes are the top-level domains.
private struct TopLevelSuffixes: PublicSuffixing {
    func registrableDomain(of host: String) -> String? {
        guard host.contains(where: \.isLetter) else { return nil }
        let labels = host.split(separator: ".")
        return labels.count < 2 ? nil : String(labels.suffix(2).joined(separator: "."))
    }
}
