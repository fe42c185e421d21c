// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPTransport

@Suite("Background transfers")
struct BackgroundTransferTests {
    /// A transport whose form for background transfers has no network.
    private struct Network: HTTPTransporting {
        var isSpared = false

        var capabilities: TransportCapabilities { [] }
        var forBackgroundTransfers: any HTTPTransporting { Network(isSpared: true) }

        func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
            guard !isSpared else { throw ResourceError(.offline, "spared", at: request.urlText) }
            return TransportResponse(head: HTTPResponse(status: .ok), body: .empty)
        }
    }

    /// A transport without such a form.
    private struct Plain: HTTPTransporting {
        var capabilities: TransportCapabilities { [] }

        func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: .empty)
        }
    }

    private func status(of transport: any HTTPTransporting) async throws -> Int? {
        let request = ResourceRequest(try #require(HTTPRequest(urlText: "https://a.example/")))
        return try await NetworkLoader(transport).load(request)?.head.status.code
    }

    @Test("Only the requests of a background transfer, and of the tasks that it creates, spare the network")
    func requests() async throws {
        for transport in [Network(), DecodingTransport(Network())] as [any HTTPTransporting] {
            #expect(try await status(of: transport) == 200)
            await BackgroundTransfer.$isCurrent.withValue(true) {
                await #expect {
                    try await status(of: transport)
                } throws: {
                    ($0 as? ResourceError)?.code == .offline
                }
                let child = Task { try await status(of: transport) }
                await #expect(throws: ResourceError.self) { try await child.value }
            }
            #expect(try await status(of: transport) == 200)
        }
    }

    @Test("Prefetches use the form too, and only they may use expensive networks")
    func prefetches() async throws {
        #expect(!BackgroundTransfer.isRefusable && !BackgroundTransfer.allowsExpensiveNetworks)
        await BackgroundTransfer.$isPrefetch.withValue(true) {
            #expect(BackgroundTransfer.allowsExpensiveNetworks)
            await #expect(throws: ResourceError.self) { try await status(of: Network()) }
            // A download that a prefetch starts is a background transfer.
            BackgroundTransfer.$isCurrent.withValue(true) { #expect(!BackgroundTransfer.allowsExpensiveNetworks) }
        }
    }

    @Test("A transport without a form for background transfers sends them like others")
    func plain() async throws {
        for transport in [Plain(), DecodingTransport(Plain())] as [any HTTPTransporting] {
            let code = try await BackgroundTransfer.$isCurrent.withValue(true) { try await status(of: transport) }
            #expect(code == 200)
        }
    }

    @Test("The form of a URLSession transport has the capabilities of the transport, and ends with it")
    func session() async throws {
        let transport = URLSessionTransport()
        let form = transport.forBackgroundTransfers
        #expect(form.capabilities == transport.capabilities)
        transport.shutDown()
        let request = try #require(HTTPRequest(urlText: "http://127.0.0.1:9/"))
        await #expect {
            try await form.send(request, body: .empty)
        } throws: {
            ($0 as? ResourceError)?.code == .cannotConnect
        }
    }
}
