// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Fuzzing) internal import ResourceTable

/// The resource table, and its URLs. What is taken must be a table whose entries are found again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTable(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    Fuzz.expect(TableFuzzing.readerHolds(buffer), "a table that cannot be")
    if let url = TableURL(String(decoding: buffer, as: UTF8.self)) {
        Fuzz.expect(TableURL(url.description) == url, "the normal form has another normal form")
    }
    return 0
}
