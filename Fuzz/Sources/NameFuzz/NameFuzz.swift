// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import FuzzSupport
@_spi(Fuzzing) internal import NameResolution

/// Fuzzes the answers of resolvers: DNS messages, and the bodies of both HTTPDNS dialects. The names and the numbers of
/// an accepted answer must be within their limits. Also fuzzes the tables of networks, stored answers, and the hosts of
/// pages.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzName(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let answer = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    Fuzz.expect(NameResolutionFuzzing.messageHolds(answer), "an invalid message was accepted")
    Fuzz.expect(NameResolutionFuzzing.bodyHolds(answer), "an invalid body was accepted")
    Fuzz.expect(NameResolutionFuzzing.networkHolds(answer), "invalid tables gave a network")
    Fuzz.expect(NameResolutionFuzzing.documentHolds(answer), "an invalid document was accepted")
    Fuzz.expect(NameResolutionFuzzing.hostsHold(answer), "invalid hosts of a page were accepted")
    return 0
}
