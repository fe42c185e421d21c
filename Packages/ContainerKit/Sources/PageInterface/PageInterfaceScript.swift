// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

/// The script of a page's interface. It runs in the world of the page, before the page's own scripts, in top-level
/// documents only. The source is `Script/src/interface.js`.
enum PageInterfaceScript {
    /// The name of the message handler.
    static let handler = "containerkit-interface"

    private struct Values: Encodable {
        let name: String
        let token: String
        let places: [String]
        let handler: String
    }

    /// Returns the script.
    /// - Parameters:
    ///   - name: the name of the object.
    ///   - token: the token of the messages.
    ///   - places: the origins that have the object.
    static func script(named name: String, token: String, at places: PageInterfacePlaces) -> UserScript {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values = Values(name: name, token: token, places: places.expressions, handler: handler)
        // Strings can always be encoded.
        let json = (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return UserScript("\(PageInterfaceScriptText.function)(\(json));", at: .documentStart, inAllFrames: false)
    }
}

/// The origins whose documents have the interface of a page, as regular expressions for
/// `location.protocol + "//" + location.host`.
///
/// The expressions may match more than the covered origins, for example another port. The container checks each message
/// as well.
package struct PageInterfacePlaces: Sendable, Hashable {
    let expressions: [String]

    /// Creates the expressions.
    /// - Parameters:
    ///   - origins: serialized origins in the engine's form, such as `https://shop.example`.
    ///   - hosts: host patterns, such as `*.shop.example` or `shop.example:8443`.
    ///   - schemes: custom schemes whose documents are all covered.
    ///   - server: a URL of the local server, whose documents are all covered; `nil` if it is not in use.
    package init(origins: [String], hosts: [String] = [], schemes: [String] = [], server: String? = nil) {
        var expressions = Set(origins.map { "^\(Self.escape($0))$" })
        for host in hosts {
            let isWild = host.hasPrefix("*.")
            let name = isWild ? String(host.dropFirst(2)) : host
            // The last colon of an IPv6 address is inside the brackets.
            let colon = name.lastIndex(of: ":").flatMap { name[$0...].contains("]") ? nil : $0 }
            // `location.host` has no default port.
            let port = colon.map { [":80", ":443"].contains(name[$0...]) ? "(\(name[$0...]))?" : "\(name[$0...])" }
            expressions.insert(
                "^https?://\(isWild ? "[^/]+\\." : "")\(Self.escape(name[..<(colon ?? name.endIndex)]))"
                    + "\(port ?? "(:\\d+)?")$")
        }
        for scheme in schemes { expressions.insert("^\(Self.escape(scheme)):") }
        if let authority = server?.dropFirst("https://".count).prefix(while: { $0 != "/" }),
            let colon = authority.lastIndex(of: ":")
        {
            expressions.insert("^https://[^/]+\(Self.escape(authority[colon...]))$")
        }
        self.expressions = expressions.sorted()
    }

    /// Returns a text with a backslash before each character that may have a meaning in a regular expression.
    private static func escape(_ text: some StringProtocol) -> String {
        text.map { $0.isASCII && !$0.isLetter && !$0.isNumber ? "\\\($0)" : String($0) }.joined()
    }
}
