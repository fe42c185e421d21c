// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) internal import BodyBridge
internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import ResourceLoading

/// What pages say to the container: each input as the mark of a request, and as a question.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBridge(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let mark = BridgeHeader(text) {
        switch mark.purpose {
        case .relayed(let id, let length): Fuzz.expect(length >= 0 && BodyID(id.text) == id, "a body that cannot be")
        case .store(let id, let offset):
            Fuzz.expect(offset >= 0 && BodyID(id.text) == id, "a piece that cannot be")
            Fuzz.expect(!mark.isKeptAlive && mark.credentials == .sameOrigin, "words that do not belong to it")
        case .ask, .bodyless, .plain: break
        }
        Fuzz.expect(BridgeHeader(text + " ") == nil, "a mark with another end: \(text)")
    }
    MainActor.assumeIsolated {
        let host = Host()
        let script = InjectedScript(token: host.token, secureScheme: "a", insecureScheme: "b", hasCookies: true)
        let bridge = PageBridge(script, documentURL: "https://a.example/", host: host)
        let answer = bridge.answer(to: bridge.prefix + text)
        Fuzz.expect((answer == "null") == (BridgeMessage(json: text) == nil), "an answer to no question: \(answer)")
        Fuzz.expect(bridge.answer(to: text) == "null", "an answer to who has no token")
        Fuzz.expect((try? JSONSerialization.jsonObject(with: Data("[\(answer)]".utf8))) != nil, "no JSON: \(answer)")
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
