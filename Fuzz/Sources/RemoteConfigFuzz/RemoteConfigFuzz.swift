// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
@_spi(Fuzzing) internal import RemoteConfig
internal import ResourceLoading
internal import SchemeRouter

/// Fuzzes the parser of remote config documents and the decisions of a parsed document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRemoteConfig(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    do throws(RemoteConfigError) {
        check(try RemoteConfigDocument(json: data))
    } catch {
        Fuzz.expectOneLine(error, limit: 1_400)
    }
    return 0
}

/// Checks that an accepted document is within its bounds and consistent.
private func check(_ document: RemoteConfigDocument) {
    Fuzz.expect(document.json.count <= RemoteConfigDocument.maxBytes, "\(document.json.count) bytes")
    Fuzz.expect(document.version >= 1 && document.replaces ?? .max >= document.version, "version \(document.version)")
    Fuzz.expect(document.deny.count <= RemoteConfigDocument.maxDenials, "\(document.deny.count) denials")
    Fuzz.expect(document.modes.count <= RemoteConfigDocument.maxModes, "\(document.modes.count) modes")
    for bound in RemoteConfigNumbers.bounds {
        Fuzz.expect(document.numbers[keyPath: bound.number].map(bound.range.contains) ?? true, bound.name)
    }
    for case .partial(let perMille, let salt) in document.features.values {
        Fuzz.expect((0...1_000).contains(perMille) && !salt.isEmpty, "perMille \(perMille)")
    }
    guard let device = RolloutBucket(identity: String(repeating: "0", count: 32)) else { return }
    Fuzz.expect(document.isEnabled || document.features(on: device).isEmpty, "disabled, but with features")
    Fuzz.expect(document.mayReplace(document), "the document may not replace itself")
    for url in ["https://shop.example/account/x", "http://m.shop.example:8080/", "https://pay.example./"] {
        guard let request = HTTPRequest(urlText: url) else { continue }
        let decision = document.vetoes.decide(request, page: url, isCovered: true)
        Fuzz.expect(document.isEnabled || decision.action == .pass, "\(decision)")
        let mode = document.mode(for: url)
        Fuzz.expect(mode == .configured || !document.modes.isEmpty, "a mode that the document does not set")
        let isPassed = document.modeRules.decide(request, page: url, isCovered: true).action == .pass
        Fuzz.expect(isPassed == (mode == .plain), "the mode and the rules differ: \(url)")
    }
}
