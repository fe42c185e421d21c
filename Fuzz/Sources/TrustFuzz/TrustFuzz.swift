// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Fuzzing) internal import TrustedUpdate

/// Fuzzes the metadata of TUF. The canonical form of an accepted document must be stable, and a hash bin must have a
/// name of constant length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrust(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    Fuzz.expect(TrustFuzzing.metadataHolds(Data(buffer)), "invalid metadata was accepted")
    return 0
}
