// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Fuzzing) internal import ResourceTable

/// Fuzzes the resource table and its URLs. The entries of an accepted table must be found by a lookup.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTable(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    Fuzz.expect(TableFuzzing.readerHolds(buffer), "an invalid table was accepted")
    if let url = TableURL(String(decoding: buffer, as: UTF8.self)) {
        Fuzz.expect(TableURL(url.description) == url, "the normal form is not stable")
    }
    return 0
}
