// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import WebSyntax

/// What a server says about the ranges of an update: `Content-Range`, dates in three spellings, and `Retry-After`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDelivery(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let field = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    Fuzz.expect(contentRangeHolds(field), "a range that cannot be: \(field)")
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    if let date = HTTPDate.parse(field, now: now) {
        // Within the years that four digits can say, and the same when it is written and read again; a year 0 is not
        // written.
        let seconds = date.timeIntervalSince1970
        let isWritten = seconds >= -62_135_596_800
        Fuzz.expect(
            (-62_167_219_200..<253_402_300_801).contains(seconds)
                && (!isWritten || HTTPDate.parse(HTTPDate.format(date), now: now) == date || seconds > 253_402_300_799),
            "a date that cannot be: \(field)")
    }
    if let wait = RetryAfter(field, now: now)?.wait {
        Fuzz.expect((.zero ... .seconds(300_000_000_000)).contains(wait), "a wait that cannot be: \(field)")
    }
    return 0
}

/// Returns a Boolean value that indicates whether a `Content-Range` is refused, or can be.
private func contentRangeHolds(_ field: String) -> Bool {
    guard let read = ContentRange(field) else { return true }
    guard ContentRange(read.description) == read else { return false }
    return switch read {
    case .unsatisfied(let total): total >= 0
    case .part(let range, let total):
        range.lowerBound >= 0 && !range.isEmpty && total.map { range.upperBound <= $0 } ?? true
    }
}
