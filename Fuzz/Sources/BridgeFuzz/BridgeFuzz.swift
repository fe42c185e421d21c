// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) internal import BodyBridge
internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import ResourceLoading

/// Fuzzes the body bridge: each input is parsed as a bridge header and as a message of a page.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBridge(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let mark = BridgeHeader(text) {
        switch mark.purpose {
        case .relayed(let id, let length): Fuzz.expect(length >= 0 && BodyID(id.text) == id, "invalid id or length")
        case .store(let id, let offset):
            Fuzz.expect(offset >= 0 && BodyID(id.text) == id, "an invalid body id or offset")
            Fuzz.expect(!mark.isKeptAlive && mark.credentials == .sameOrigin, "options of a store request")
        case .ask, .bodyless, .plain: break
        }
        Fuzz.expect(BridgeHeader(text + " ") == nil, "a header with a suffix is accepted: \(text)")
    }
    MainActor.assumeIsolated {
        let host = Host()
        let script = InjectedScript(token: host.token, secureScheme: "a", insecureScheme: "b", hasCookies: true)
        let bridge = PageBridge(script, documentURL: "https://a.example/", host: host)
        let answer = bridge.answer(to: bridge.prefix + text)
        Fuzz.expect((answer == "null") == (BridgeMessage(json: text) == nil), "a reply to no message: \(answer)")
        Fuzz.expect(bridge.answer(to: text) == "null", "a reply to a message without a token")
        Fuzz.expect((try? JSONSerialization.jsonObject(with: Data("[\(answer)]".utf8))) != nil, "not JSON: \(answer)")
    }
    return 0
}

@MainActor
private final class Host: BridgeHosting {
    let token = BridgeToken()
    var text = ""

    func covers(_ url: String) -> Bool { url.isEmpty }
    func mayShow(documentAt place: String, below ancestors: [String]) -> Bool { true }
    func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String { text + place + top }
    func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?) { self.text = text }
}
