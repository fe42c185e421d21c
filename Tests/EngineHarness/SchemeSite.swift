// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// Pages at `house://…` by path. Other paths get no response.
@MainActor
final class SchemeSite {
    private(set) var requests: [EngineRequest] = []
    private(set) var outcomes: [String: SchemeTaskDelivery.Outcome] = [:]
    private var watchers: [@MainActor () -> Void] = []

    init(_ pages: [String: String], on engine: WebKitGTKEngine) throws {
        try serve(pages.mapValues { .bytes(Data($0.utf8)) }, on: engine)
    }

    init(bodies: [String: ResourceBody], on engine: WebKitGTKEngine) throws {
        try serve(bodies, on: engine)
    }

    private func serve(_ bodies: [String: ResourceBody], on engine: WebKitGTKEngine) throws {
        try engine.register(CustomScheme(name: "house", isSecure: true)) { [self] request, sink in
            requests.append(request)
            let path = request.head.path ?? ""
            let delivery = SchemeTaskDelivery(to: sink)
            delivery.start {
                guard let body = bodies[path] else {
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }
                return ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]), body: body,
                    provenance: Provenance(.synthetic, reason: "check"))
            } completion: { [self] outcome in
                outcomes[path] = outcome
                send()
            }
            send()
            return delivery
        }
    }

    /// Waits until a path is requested.
    func asked(for path: String) async throws {
        try await wait { $0.requests.contains { $0.head.path == path } }
    }

    /// Waits until at least the given number of requests has arrived.
    func asked(forAtLeast count: Int) async throws {
        try await wait { $0.requests.count >= count }
    }

    /// Waits until the response to a path has ended.
    func outcome(of path: String) async throws -> SchemeTaskDelivery.Outcome? {
        try await wait { $0.outcomes[path] != nil }
        return outcomes[path]
    }

    private func wait(until condition: @MainActor (SchemeSite) -> Bool) async throws {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        watchers.append { change.yield() }
        while !condition(self) {
            for await _ in changes { break }
            try Task.checkCancellation()
        }
    }

    private func send() {
        for watcher in watchers { watcher() }
    }
}
