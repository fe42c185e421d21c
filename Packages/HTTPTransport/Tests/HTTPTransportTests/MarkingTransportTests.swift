// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
@_spi(Facade) import HTTPTransport
import HTTPTypes
import ResourceLoading
import Testing

@Suite("Marks of outgoing requests", .timeLimit(.minutes(1)))
struct MarkingTransportTests {
    /// A transport that records whether its requests are marked while it sends them.
    private final class AskingTransport: HTTPTransporting {
        let capabilities: TransportCapabilities
        let outgoing = OutgoingRequests()
        let marked = Mutex<[Bool]>([])

        init(_ capabilities: TransportCapabilities) { self.capabilities = capabilities }

        func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
            marked.withLock { $0.append(outgoing.contains(request)) }
            return TransportResponse(head: HTTPResponse(status: .ok), body: .empty)
        }
    }

    @Test("Requests of a transport are marked in each form, unless they bypass the sessions of the app")
    func forms() async throws {
        for (capabilities, isMarked) in [([], true), (.bypassesSessions, false)] as [(TransportCapabilities, Bool)] {
            let transport = AskingTransport(capabilities)
            let marking = transport.marking(in: transport.outgoing)
            let request = try #require(HTTPRequest(urlText: "https://shop.example/"))
            _ = try await marking.send(request, body: .empty)
            _ = try await marking.send(request, body: .empty) { _ in }
            _ = try await marking.forBackgroundTransfers.send(request, body: .empty)
            _ = try await DecodingTransport(marking).send(request, body: .empty)
            #expect(transport.marked.withLock { $0 } == Array(repeating: isMarked, count: 4))
            #expect(!transport.outgoing.contains(request) && marking.capabilities == capabilities)
        }
    }

    @Test("The container's own transport bypasses sessions")
    func own() {
        let transport = URLSessionTransport()
        #expect(transport.marking(in: OutgoingRequests()) is URLSessionTransport)
        transport.shutDown()
    }
}
