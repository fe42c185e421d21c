// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `h5 cache-proxy` in front of an origin whose responses violate HTTP.
@Suite("h5 cache-proxy and malformed responses", .timeLimit(.minutes(1)))
struct MalformedUpstreamTests {
    private func get(_ url: String) async throws -> (text: String, status: Int?) {
        let url = try #require(URL(string: url))
        let (data, response) = try await URLSession(configuration: .ephemeral).data(from: url)
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode)
    }

    @Test("Each malformed response gives 502, and the next request succeeds")
    func proxying() async throws {
        let folder = try TemporaryFolder()
        try await MalformedOrigin.with(.http1) { origin in
            let proxy = try await Program("h5").start(
                ["cache-proxy", "--upstream", origin.url, "--port", "0"], in: folder.path)
            let url = try #require(proxy.firstLine)
            for response in MalformedResponse.http1 {
                #expect(try await get("\(url)/bad/\(response.name)").status == 502, "\(response)")
                #expect(try await get("\(url)/good?\(response.name)").text == MalformedOrigin.good, "\(response)")
            }
            #expect(await proxy.end(by: SIGTERM) == 0)
        }
    }
}
