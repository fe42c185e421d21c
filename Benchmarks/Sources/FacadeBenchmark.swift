// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPSemantics
internal import HTTPTypes
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceStore
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

/// Measures the cost of the facade for a packaged file. It compares the container's complete processing with a manual
/// assembly of the same modules. The difference consists of the page session, the rules and the events.
@MainActor
struct FacadeBenchmark {
    private static let files = 50
    private static let rounds = 400
    let sample: SamplePackage
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        let target = try folder.subfolder("facade")
        defer { folder.remove(target) }
        let engine = SilentEngine()
        var configuration = ContainerConfiguration(directory: target + "/container")
        configuration.network.cookies.native = .none
        configuration.network.transport = NoTransport()
        configuration.views.warmsUpWhenIdle = false
        let container = try await Container(engine: engine, configuration: configuration)
        try await container.install(archive: sample.archive, manifest: sample.manifest)
        let listening = container.observe { _ in }
        let page = try await container.open(sample.url(of: "index.html"))
        let library = try PackageLibrary(store: BlobStore(directory: target + "/modules"))
        try await library.install(archive: sample.archive, manifest: sample.manifest)
        let bare = SilentEngine()
        bare.register(CustomScheme(name: SchemeNames.standard.secure, isSecure: true), handler: modules(library))
        let requests = sample.paths.prefix(Self.files).compactMap { path in
            HTTPRequest(
                urlText: sample.url(of: path).replacing("https://", with: "containerkit://", maxReplacements: 1))
        }
        var (ours, theirs): ([SilentEngine.Cost], [SilentEngine.Cost]) = ([], [])
        for round in 0..<Self.rounds + 10 {
            for request in requests {
                let facade = try await engine.head(answering: request)
                let alone = try await bare.head(answering: request)
                // The first rounds load the files into memory.
                guard round >= 10 else { continue }
                ours.append(facade)
                theirs.append(alone)
            }
        }
        listening.end()
        await container.close(page)
        await container.shutDown()
        let heads = (ours: Self.median(ours, \.time), theirs: Self.median(theirs, \.time))
        let wholes = (ours: Self.median(ours, \.whole), theirs: Self.median(theirs, \.whole))
        return [
            Comparison(
                name: "whole chain, request to head, p50, beside its modules alone", reference: "modules by hand",
                ours: heads.ours, theirs: heads.theirs, unit: "µs", bar: nil),
            Comparison(
                name: "the facade's part of it", reference: "–", ours: heads.ours - heads.theirs, theirs: nil,
                unit: "µs", bar: 5),
            Comparison(
                name: "the same until all is told, p50", reference: "–", ours: wholes.ours - wholes.theirs,
                theirs: nil, unit: "µs", bar: nil),
        ]
    }

    private static func median(_ costs: [SilentEngine.Cost], _ time: KeyPath<SilentEngine.Cost, Duration>) -> Double {
        Stopwatch.median(costs.map { $0[keyPath: time] / .microseconds(1) })
    }

    /// Returns a handler with the loaders and decorators of custom-scheme mode, without a facade.
    private func modules(_ library: PackageLibrary) -> SchemeHandler {
        let names = SchemeNames.standard
        let completion = RequestCompletion(names)
        let answers = RedirectFollower(LoaderChain([.settled(.package(library))]), names: names)
        let chain = RewritingLoader(answers, names: names) { _, _ in true }
        let document = sample.url(of: "index.html")
        return { request, sink in
            let delivery = SchemeTaskDelivery(to: sink)
            var head = request.head
            head.scheme = names.realScheme(for: head.scheme ?? "")
            head.path = head.path.map(names.realTarget)
            guard let checked = try? completion.checked(head, in: document) else { return delivery }
            let reference = PageReference(id: PageID(rawValue: 1), documentURL: document)
            // The request belongs to a page, so the response may be immediate.
            let named = ResourceRequest(
                checked, destination: .subresource, page: PageAttribution(reference, confidence: .exact))
            if case .known(let response?) = chain.immediateResponse(to: named), let body = WholeBody(response.body) {
                _ = delivery.deliver(response.head, body)
            } else {
                delivery.start {
                    guard let response = try await chain.load(named) else {
                        throw ResourceError(.internal, "not in the package", at: checked.urlText)
                    }
                    return response
                }
            }
            return delivery
        }
    }
}
