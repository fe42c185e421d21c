// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

// Custom schemes and their tasks.
extension EngineContract {
    static let registrationChecks = [
        EngineContractCheck("refusedSchemes", of: "WebEngineDriver.register(_:handler:)") { run in
            for name in ["https", "about", "data", "javascript", "", "Shop", "1a", "a b", "é"] {
                try await run.expectError([.schemeTaken], "the scheme '\(name)'") {
                    try run.engine.register(CustomScheme(name: name, isSecure: true)) { _, sink in
                        .refusal(to: sink, "")
                    }
                }
            }
        },
        EngineContractCheck("otherSecuritySetting", of: "WebEngineDriver.register(_:handler:)") { run in
            _ = try run.serve()
            try await run.expectError([.schemeTaken], "another security setting") {
                try run.engine.register(CustomScheme(name: ContractRun.scheme, isSecure: false)) { _, sink in
                    .refusal(to: sink, "")
                }
            }
        },
        EngineContractCheck("replacedSchemeHandler", of: "WebEngineDriver.register(_:handler:)") { run in
            let first = try run.serve()
            let view = try await run.open()
            let second = try run.serve()
            try await run.load(ContractRun.home + "2", in: view)
            try await run.load(ContractRun.home + "3", in: try run.makeView())
            try run.expect(first.paths, ["/"], "requests of the first handler")
            try run.expect(second.paths, ["/2", "/3"], "requests of the second handler")
        },
        EngineContractCheck("severalSchemes", of: "WebEngineDriver.register(_:handler:)") { run in
            let first = try run.serve()
            let second = ContractServer([:])
            try run.engine.register(CustomScheme(name: "contract-two", isSecure: true), handler: second.handler)
            let view = try await run.open()
            try await run.load("contract-two://site.example/two", in: view)
            try run.expect(first.paths, ["/"], "requests of the first scheme")
            try run.expect(second.paths, ["/two"], "requests of the second scheme")
        },
    ]

    static let schemeTaskChecks = [
        EngineContractCheck("requestHead", of: "EngineRequest.head") { run in
            let server = try run.serve()
            let view = try await run.open()
            let name = HTTPField.Name("X-Contract")
            let fields: HTTPFields = name.map { [$0: "a b"] } ?? [:]
            let url = ContractRun.origin + "/data?a=1&b=%20"
            _ = try await run.site.send(EngineContractRequest(url, .put, fields), in: view)
            try run.expect(server.requests.count, 2, "requests")
            let (document, request) = (server.requests[0], server.requests[1])
            try run.expect(request.head.method, .put, "the method")
            try run.expect(request.head.urlText, url, "the URL")
            try run.expect(name.flatMap { request.head.headerFields[$0] }, "a b", "the field")
            let expected = run.engine.traits(in: .customScheme).identifiesPage ? view.id : nil
            try run.expect([document.view, request.view], [expected, expected], "the view")
            try run.expect([document.isMainDocument, request.isMainDocument], [true, false], "isMainDocument")
        },
        EngineContractCheck("requestBody", of: "EngineTraits.bodies") { run in
            let server = try run.serve()
            let view = try await run.open()
            let request = EngineContractRequest(ContractRun.origin + "/data", .post, body: "text ü")
            _ = try await run.site.send(request, in: view)
            guard run.engine.traits(in: .customScheme).bodies != .none else {
                return try run.expect(server.requests.last?.body == nil, "no body, as the traits state")
            }
            let body = try await server.bodies.last??.collect(upTo: 100)
            try run.expect(body.map { String(decoding: $0, as: UTF8.self) }, "text ü", "the body")
        },
        EngineContractCheck("response", of: "SchemeHandler") { run in
            let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
            let server = try run.serve(["/data": .body(.stream(ByteStream(stream)))])
            let view = try await run.open()
            for piece in ["one,", "two,", "three"] { feed.yield(Data(piece.utf8)) }
            feed.finish()
            let response = try await run.site.send(EngineContractRequest(ContractRun.origin + "/data"), in: view)
            try run.expect(response.status, 201, "the status")
            try run.expect(response.field, "yes", "the field")
            try run.expect(String(decoding: response.body, as: UTF8.self), "one,two,three", "the body")
            try run.expect(response.error, nil, "the error")
            try await run.wait(for: "the outcome of the task") { server.finishedBytes("/data") == 13 }
        },
        EngineContractCheck("immediateResponse", of: "SchemeHandler") { run in
            let outcomes = try await { () -> [Int64] in
                var outcomes: [Int64] = []
                try run.engine.register(CustomScheme(name: ContractRun.scheme, isSecure: true)) { _, sink in
                    let delivery = SchemeTaskDelivery(to: sink)
                    let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
                    if case .finished(let bytes) = delivery.deliver(head, .bytes(Data("<p>".utf8))) {
                        outcomes.append(bytes)
                    }
                    return delivery
                }
                _ = try await run.open()
                return outcomes
            }()
            try run.expect(outcomes, [3], "bytes of complete responses")
        },
        EngineContractCheck("failureBeforeResponse", of: "SchemeHandler") { run in
            _ = try run.serve(["/data": .failure])
            let view = try await run.open()
            let response = try await run.site.send(EngineContractRequest(ContractRun.origin + "/data"), in: view)
            try run.expect(response.error != nil, "an error in the page")
            try run.expect(response.status, nil, "the status")
        },
        EngineContractCheck("failureAfterResponse", of: "SchemeHandler") { run in
            let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
            _ = try run.serve(["/data": .body(.stream(ByteStream(stream, length: 100)))])
            let view = try await run.open()
            feed.yield(Data("part".utf8))
            feed.finish(throwing: ResourceError(.offline, "a failure of the check"))
            let response = try await run.site.send(EngineContractRequest(ContractRun.origin + "/data"), in: view)
            try run.expect(response.error != nil, "an error in the page")
        },
        EngineContractCheck("stopBeforeResponse", of: "WebEngineDriver.register(_:handler:)") { run in
            let server = try run.serve(["/data": .nothing])
            let view = try await run.open()
            let request = Task {
                try await run.site.send(EngineContractRequest(ContractRun.origin + "/data"), in: view)
            }
            try await run.wait(for: "the request") { server.paths.contains("/data") }
            request.cancel()
            try await run.wait(for: "SchemeTaskDelivery.stop()") { server.isStopped("/data") }
            _ = try? await request.value
        },
        EngineContractCheck("stopDuringBody", of: "WebEngineDriver.register(_:handler:)") { run in
            let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
            let server = try run.serve(["/data": .body(.stream(ByteStream(stream)))])
            let view = try await run.open()
            feed.yield(Data("part".utf8))
            let request = Task {
                try await run.site.send(EngineContractRequest(ContractRun.origin + "/data"), in: view)
            }
            try await run.wait(for: "the request") { server.paths.contains("/data") }
            request.cancel()
            try await run.wait(for: "SchemeTaskDelivery.stop()") {
                // The engine receives nothing of this after the stop.
                feed.yield(Data("more".utf8))
                return server.isStopped("/data")
            }
            _ = try? await request.value
        },
        EngineContractCheck("largeBodies", of: "SchemeHandler") { run in
            // Some engines limit the bytes that they take at once.
            let body = Data((0..<5_000_000).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            let pieces = stride(from: 0, to: body.count, by: 70_001).map { Data(body.dropFirst($0).prefix(70_001)) }
            let stream = AsyncStream<Data> { feed in
                for piece in pieces { feed.yield(piece) }
                feed.finish()
            }
            let length = Int64(body.count)
            let server = try run.serve([
                "/whole": .body(.bytes(body)), "/pieces": .body(.stream(ByteStream(stream, length: length))),
            ])
            let view = try await run.open()
            for path in ["/whole", "/pieces"] {
                let response = try await run.site.send(EngineContractRequest(ContractRun.origin + path), in: view)
                try run.expect(response.error, nil, "the error")
                try run.expect(response.body.count, body.count, "bytes of \(path)")
                try run.expect(response.body == body, "the bytes of \(path) in order")
                try await run.wait(for: "the outcome of \(path)") { server.finishedBytes(path) == length }
            }
        },
    ]
}
