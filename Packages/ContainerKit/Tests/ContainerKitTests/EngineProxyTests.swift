// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Testing
import WebEngine

@Suite("Engine proxy", .timeLimit(.minutes(1)))
struct EngineProxyTests {
    @Test("No description contains the password")
    func descriptions() {
        let credentials = EngineProxy.Credentials(username: "app", password: "secret")
        let proxy = EngineProxy(.socks5, host: "127.0.0.1", port: 4_000, credentials: credentials)
        var dumped = ""
        dump(proxy, to: &dumped)
        dump(credentials, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), "\(credentials)", String(reflecting: credentials), dumped] {
            #expect(text.contains("app") && !text.contains("secret"), "\(text)")
        }
        #expect(credentials != EngineProxy.Credentials(username: "app", password: "other"))
    }
}
