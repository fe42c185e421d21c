// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import LoopbackServer

@Suite("Credentials of a launch", .timeLimit(.minutes(1)))
struct ProxyCredentialsTests {
    private let credentials = ProxyCredentials()

    private func field(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    @Test("Credentials match only themselves")
    func match() {
        let right = field("\(credentials.username):\(credentials.password)")
        #expect(credentials.match("Basic \(right)"))
        #expect(credentials.match("basic \(right)"))
        for wrong in [
            "", "Basic", "Basic ", right, "Bearer \(right)", "Basic \(right)=", "Basic \(right.dropLast())",
            "Basic \(right) ", "Basic \(field("container:"))", "Basic \(field("other:\(credentials.password)"))",
            "Basic \(field("\(credentials.username):\(ProxyCredentials().password)"))",
        ] {
            #expect(!credentials.match(wrong), "\(wrong)")
        }
    }

    @Test("Credentials are long, new for each launch, and hidden in descriptions")
    func secrecy() {
        #expect(credentials.password.utf8.count == 64)
        #expect(credentials != ProxyCredentials())
        for text in ["\(credentials)", String(reflecting: credentials), "\([credentials])"] {
            #expect(!text.contains(credentials.password))
        }
    }
}
