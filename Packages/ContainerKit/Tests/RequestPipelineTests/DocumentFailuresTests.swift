// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing
import WebEngine

@testable import RequestPipeline

@Suite("Reasons for documents that could not be loaded")
struct DocumentFailuresTests {
    private let refused = ResourceError(.tls, "the certificate is not trusted", at: "https://a.example/")
    private let lost = EngineError(.connectionLost, "lost")

    @Test("A failure explains an error once, within a short time, and until there is a response")
    func once() {
        let failures = DocumentFailures()
        let url = "https://a.example/"
        let time = ContinuousClock.now
        failures.failed(url, because: refused, at: time)
        #expect(failures.explained(lost, of: url, at: time + .seconds(29)).code == .tls)
        #expect(failures.explained(lost, of: url, at: time + .seconds(29)) == lost)
        failures.failed(url, because: refused, at: time)
        #expect(failures.explained(lost, of: url, at: time + .seconds(30)) == lost)
        failures.failed(url, because: refused)
        failures.answered(url)
        #expect(failures.explained(lost, of: url) == lost)
        // A cancelled request is no reason for a failed page.
        failures.failed(url, because: ResourceError(.cancelled, "stopped"))
        #expect(failures.explained(lost, of: url) == lost)
        // The last 16 failures are stored.
        for number in 0..<17 { failures.failed("\(url)\(number)", because: refused) }
        #expect(failures.explained(lost, of: url + "0") == lost && failures.explained(lost, of: url + "1") != lost)
    }
}
