// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import WebSyntax

/// Fuzzes the response header fields of an update: `Content-Range`, HTTP dates in three formats, and `Retry-After`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDelivery(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let field = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    Fuzz.expect(contentRangeHolds(field), "an invalid range: \(field)")
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    if let date = HTTPDate.parse(field, now: now) {
        // The date has a year of at most four digits, and is the same after formatting and parsing. The year 0 cannot
        // be formatted.
        let seconds = date.timeIntervalSince1970
        let isWritten = seconds >= -62_135_596_800
        Fuzz.expect(
            (-62_167_219_200..<253_402_300_801).contains(seconds)
                && (!isWritten || HTTPDate.parse(HTTPDate.format(date), now: now) == date || seconds > 253_402_300_799),
            "a date out of range: \(field)")
    }
    if let wait = RetryAfter(field, now: now)?.wait {
        Fuzz.expect((.zero ... .seconds(300_000_000_000)).contains(wait), "a wait out of range: \(field)")
    }
    return 0
}

/// Returns a Boolean value that indicates whether a `Content-Range` is rejected or its parsed value is valid.
private func contentRangeHolds(_ field: String) -> Bool {
    guard let read = ContentRange(field) else { return true }
    guard ContentRange(read.description) == read else { return false }
    return switch read {
    case .unsatisfied(let total): total >= 0
    case .part(let range, let total):
        range.lowerBound >= 0 && !range.isEmpty && total.map { range.upperBound <= $0 } ?? true
    }
}
