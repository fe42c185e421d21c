// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) @_spi(Fuzzing) internal import BodyBridge
internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import ResourceLoading

/// Fuzzes the body messages of older pages. Each input is parsed as a message, as the URL of a request with an id, and
/// as a message to the bridge.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    do {
        check(try LegacyBodyMessage(json: data), of: data)
    } catch let error as ResourceError {
        Fuzz.expect([.invalidRequest, .tooLarge].contains(error.code), "unexpected error code: \(error)")
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
    checkParameter(text)
    MainActor.assumeIsolated { checkBridge(text) }
    return 0
}

private func check(_ message: LegacyBodyMessage, of json: Data) {
    Fuzz.expect((1...LegacyBodyMessage.maxIDBytes).contains(message.requestID.utf8.count), "an invalid id")
    for field in message.fields {
        Fuzz.expect(!LegacyBodyMessage.isForbidden(field.name, field.value), "a forbidden field: \(field.name)")
        Fuzz.expect(field.value.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }, "a field with a line end")
    }
    switch message.kind {
    case .none: Fuzz.expect(message.body.isEmpty, "a message without a body has one")
    case .json:
        let ends = (message.body.first, message.body.last)
        Fuzz.expect(
            ends == (UInt8(ascii: "{"), UInt8(ascii: "}")) || ends == (UInt8(ascii: "["), UInt8(ascii: "]")),
            "an incomplete JSON value")
        Fuzz.expect(json.range(of: message.body) != nil, "the body is not part of the message")
    case .text: Fuzz.expect(String(data: message.body, encoding: .utf8) != nil, "a text that is not UTF-8")
    case .binary: break
    }
}

private func checkParameter(_ text: String) {
    guard let messages = LegacyMessages(prefix: "a") else { return }
    for query in [text, text.replacing("$", with: messages.parameter)] {
        guard var request = HTTPRequest(urlText: "https://shop.example/?" + query) else { continue }
        let (path, isCarried) = (request.path ?? "", messages.isCarried(by: request))
        let found = messages.removeID(from: &request)
        Fuzz.expect((found != .none) == isCarried, "the id is found but not carried, or the reverse: \(query)")
        Fuzz.expect(!messages.isCarried(by: request), "the id remains in the URL: \(query)")
        Fuzz.expect(found == .none ? request.path == path : (request.path ?? "").utf8.count < path.utf8.count, query)
    }
}

@MainActor
private func checkBridge(_ text: String) {
    guard let messages = LegacyMessages(prefix: "a") else { return }
    let host = Host()
    let bridge = LegacyBridge(messages, token: host.token, host: host)
    Fuzz.expect(bridge.answer(to: text) == nil, "a reply to a message without a token")
    for said in [text, "body https://shop.example/ \(text)"] {
        guard let answer = bridge.answer(to: bridge.prefix + said) else { continue }
        let members = try? JSONDecoder().decode([String: String].self, from: Data(answer.utf8))
        Fuzz.expect(members?.count == 1, "not JSON: \(answer)")
        // A request for a prefetched response has a ticket and no body.
        guard let id = members?["value"], !host.isAsked, !said.hasPrefix("prefetch") else { continue }
        Fuzz.expect(bridge.removeBody(id, for: Host.other) == nil, "a body was given to another origin")
        Fuzz.expect(bridge.removeBody(id, for: Host.origin) != nil, "the body is missing")
        Fuzz.expect(bridge.removeBody(id, for: Host.origin) == nil, "the body was given twice")
    }
}

@MainActor
private final class Host: LegacyHosting {
    static let origin = WebOrigin(scheme: "https", authority: "shop.example")
    static let other = WebOrigin(scheme: "https", authority: "other.example")
    let token = BridgeToken()
    /// A Boolean value that indicates whether the message set or requested cookies.
    var isAsked = false

    func origin(ofDocument url: String) -> WebOrigin? { Self.origin }

    func cookieLine(of message: Data, fromDocument url: String) throws -> String {
        isAsked = true
        return String(decoding: message, as: UTF8.self)
    }

    func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data? { nil }
}
