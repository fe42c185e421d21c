// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine

    extension WKWebViewEngine {
        /// Returns the traits of WKWebView in a mode. The modes are plain, proxy and server (A), document (D), scheme
        /// (S), and https takeover (T).
        ///
        /// | trait | A | D | S | T | reason |
        /// | --- | --- | --- | --- | --- | --- |
        /// | `bodies` | all | all | plain | plain | D: by GET only. S, T: WebKit has no Blobs there (bug 197237) |
        /// | `keepsCookies` | yes | yes | no | yes | S: custom schemes have no cookies. T: tasks do not send them |
        /// | `followsRedirects` | yes | yes | no | no | S, T: the call for redirects of a task is private |
        /// | `preflights` | yes | yes | no | no | S, T: no `OPTIONS` request reaches a task |
        /// | `decodes` | yes | no | no | no | D, S, T: WebKit takes the bytes as they are |
        /// | `caches` | yes | no | no | no | D, S, T: neither given documents nor responses of tasks are stored |
        /// | `identifiesPage` | no | yes | yes | yes | A: a connection does not name its view |
        /// | `acceptLanguage` | – | value | value | value | D, S, T: CFNetwork adds the field below WebKit |
        /// - Parameter acceptLanguage: the value that the engine sends to servers; `nil` if it is unknown.
        static func traits(in mode: InterceptionMode, acceptLanguage: String?) -> EngineTraits {
            switch mode {
            case .plain, .loopbackProxy, .loopbackServer:
                EngineTraits(
                    bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
                    caches: true, identifiesPage: false, acceptLanguage: nil)
            case .document:
                EngineTraits(
                    bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: false,
                    caches: false, identifiesPage: true, acceptLanguage: acceptLanguage)
            case .customScheme:
                EngineTraits(
                    bodies: .plain, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
                    caches: false, identifiesPage: true, acceptLanguage: acceptLanguage)
            case .httpsTakeover:
                EngineTraits(
                    bodies: .plain, keepsCookies: true, followsRedirects: false, preflights: false, decodes: false,
                    caches: false, identifiesPage: true, acceptLanguage: acceptLanguage)
            }
        }

        /// Returns the `Accept-Language` that WebKit sends: the first language, and its base if it has a region. WebKit
        /// hides further languages from servers.
        /// - Parameter languages: BCP 47 tags in order of preference.
        /// - Returns: the value (RFC 9110, section 12.5.4); `nil` if there is no tag of letters, digits and hyphens.
        static func acceptLanguage(of languages: [String]) -> String? {
            let isTag: (String) -> Bool = { tag in
                tag.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                        || (0x61...0x7A).contains(byte)
                }
            }
            guard let tag = languages.first, !tag.isEmpty, isTag(tag) else { return nil }
            guard let end = tag.firstIndex(of: "-") else { return tag }
            return "\(tag),\(tag[..<end]);q=0.9"
        }
    }
#endif
