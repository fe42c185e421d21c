// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import WebSyntax

/// Fuzzes the parser of cookie dates (RFC 6265, section 5.1.1), which accepts almost any text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieDate(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let date = CookieDate.parse(text) {
        Fuzz.expect(
            (-11_644_473_600...253_402_300_799).contains(date.timeIntervalSince1970), "a date out of range: \(text)")
        Fuzz.expect(CookieDate.parse(CookieDate.format(date)) == date, "the normal form is another date: \(text)")
        Fuzz.expect(CookieDate.parse(" ,\(text); ") == date, "surrounding separators change the date: \(text)")
    }
    // Any number must be formatted as a valid date.
    if count >= 8, let bytes {
        let date = Date(timeIntervalSince1970: UnsafeRawPointer(bytes).loadUnaligned(as: Double.self))
        Fuzz.expect(
            CookieDate.parse(CookieDate.format(date)) != nil, "not a date if formatted: \(date.timeIntervalSince1970)")
    }
    return 0
}
