// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import WebSyntax

/// Dates of cookies: almost anything is one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieDate(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let date = CookieDate.parse(text) {
        Fuzz.expect(
            (-11_644_473_600...253_402_300_799).contains(date.timeIntervalSince1970), "a date that cannot be: \(text)")
        Fuzz.expect(CookieDate.parse(CookieDate.format(date)) == date, "the normal form means another date: \(text)")
        Fuzz.expect(CookieDate.parse(" ,\(text); ") == date, "separators around it change it: \(text)")
    }
    // Any number is a date that can be written.
    if count >= 8, let bytes {
        let date = Date(timeIntervalSince1970: UnsafeRawPointer(bytes).loadUnaligned(as: Double.self))
        Fuzz.expect(
            CookieDate.parse(CookieDate.format(date)) != nil, "not a date when written: \(date.timeIntervalSince1970)")
    }
    return 0
}
