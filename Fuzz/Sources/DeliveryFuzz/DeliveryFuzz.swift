// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Fuzzing) internal import PackageFormat

/// What a server says about the ranges of an update: `Content-Range`, dates in three spellings, and `Retry-After`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDelivery(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let field = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    Fuzz.expect(DeliveryFuzzing.contentRangeHolds(field), "a range that cannot be: \(field)")
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    Fuzz.expect(DeliveryFuzzing.dateHolds(field, now: now), "a date that cannot be: \(field)")
    Fuzz.expect(DeliveryFuzzing.retryAfterHolds(field, now: now), "a wait that cannot be: \(field)")
    return 0
}
