// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) @_spi(Fuzzing) internal import BodyBridge
internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import ResourceLoading

/// What older pages say of bodies: each input as a message, as the URL of a request that carries an id, and as what a page
/// says to the bridge.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    do {
        check(try LegacyBodyMessage(json: data), of: data)
    } catch let error as ResourceError {
        Fuzz.expect([.invalidRequest, .tooLarge].contains(error.code), "another error: \(error)")
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
    checkParameter(text)
    MainActor.assumeIsolated { checkBridge(text) }
    return 0
}

private func check(_ message: LegacyBodyMessage, of json: Data) {
    Fuzz.expect((1...LegacyBodyMessage.maxIDBytes).contains(message.requestID.utf8.count), "an id that cannot be")
    for field in message.fields {
        Fuzz.expect(!LegacyBodyMessage.isForbidden(field.name, field.value), "a forbidden field: \(field.name)")
        Fuzz.expect(field.value.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }, "a field that ends a line")
    }
    switch message.kind {
    case .none: Fuzz.expect(message.body.isEmpty, "a body of nothing")
    case .json:
        let ends = (message.body.first, message.body.last)
        Fuzz.expect(
            ends == (UInt8(ascii: "{"), UInt8(ascii: "}")) || ends == (UInt8(ascii: "["), UInt8(ascii: "]")),
            "half a value")
        Fuzz.expect(json.range(of: message.body) != nil, "bytes that were not in the message")
    case .text: Fuzz.expect(String(data: message.body, encoding: .utf8) != nil, "a text that is no UTF-8")
    case .binary: break
    }
}

private func checkParameter(_ text: String) {
    guard let messages = LegacyMessages(prefix: "a") else { return }
    for query in [text, text.replacing("$", with: messages.parameter)] {
        guard var request = HTTPRequest(urlText: "https://shop.example/?" + query) else { continue }
        let (path, isCarried) = (request.path ?? "", messages.isCarried(by: request))
        let found = messages.removeID(from: &request)
        Fuzz.expect((found != .none) == isCarried, "carried, or not: \(query)")
        Fuzz.expect(!messages.isCarried(by: request), "left in the URL: \(query)")
        Fuzz.expect(found == .none ? request.path == path : (request.path ?? "").utf8.count < path.utf8.count, query)
    }
}

@MainActor
private func checkBridge(_ text: String) {
    guard let messages = LegacyMessages(prefix: "a") else { return }
    let host = Host()
    let bridge = LegacyBridge(messages, token: host.token, host: host)
    Fuzz.expect(bridge.answer(to: text) == nil, "an answer to who has no token")
    for said in [text, "body https://shop.example/ \(text)"] {
        guard let answer = bridge.answer(to: bridge.prefix + said) else { continue }
        let members = try? JSONDecoder().decode([String: String].self, from: Data(answer.utf8))
        Fuzz.expect(members?.count == 1, "no JSON: \(answer)")
        // What asks for an answer that was fetched ahead has a ticket, and no body.
        guard let id = members?["value"], !host.isAsked, !said.hasPrefix("prefetch") else { continue }
        Fuzz.expect(bridge.removeBody(id, for: Host.other) == nil, "another origin's body")
        Fuzz.expect(bridge.removeBody(id, for: Host.origin) != nil, "a body that is not there")
        Fuzz.expect(bridge.removeBody(id, for: Host.origin) == nil, "a body for the second time")
    }
}

@MainActor
private final class Host: LegacyHosting {
    static let origin = WebOrigin(scheme: "https", authority: "shop.example")
    static let other = WebOrigin(scheme: "https", authority: "other.example")
    let token = BridgeToken()
    /// Whether it was about a cookie.
    var isAsked = false

    func origin(ofDocument url: String) -> WebOrigin? { Self.origin }

    func cookieLine(of message: Data, fromDocument url: String) throws -> String {
        isAsked = true
        return String(decoding: message, as: UTF8.self)
    }

    func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data? { nil }
}
