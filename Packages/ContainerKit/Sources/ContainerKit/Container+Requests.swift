// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import HTTPTypes
internal import OfflinePackage
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import PageRecovery
internal import ResourceLoading
internal import SchemeMode
internal import SchemeRouter
@_spi(Facade) internal import WebEngine

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

// Requests of pages, by the custom scheme, and of the app.
extension Container {
    /// Answers the app's own requests, as it does those of pages: what sessions of this configuration ask for is
    /// intercepted where the rules say so, and else left to the session. Call it before the session is made, and when
    /// the configuration's cookies, header fields and time limits are as they shall be. Holds for as long as the
    /// container lives; what `URLProtocolFace` says of Linux holds here, too.
    public func intercept(_ configuration: URLSessionConfiguration) {
        appRequests.face.install(in: configuration)
    }

    func answer(_ request: EngineRequest, to sink: any SchemeTaskSink) -> SchemeTaskDelivery {
        let started = ContinuousClock.now
        let delivery = SchemeTaskDelivery(to: sink)
        let session = request.view.flatMap { sessions[$0] }
        var request = request
        let post = posts.removePost(for: request)
        var asked = legacy?.bare(request) ?? request
        if post != nil { asked.head.method = .post }
        func makeRecord() -> RequestRecord {
            RequestRecord(asked, session: session, names: configuration.names, started: started)
        }
        if request.isMainDocument { record(document: asked, of: session) }
        let path = pipelines.customScheme.path
        do {
            var bridged: BridgedBody
            switch try bridges?.read(&request) ?? .request(BridgedBody()) {
            case .own(let answer):
                delivery.start(answer: answer)
                return delivery
            case .worker(let script, let bridge):
                let named = try path.resolve(asked, for: session)
                lead(named, script, in: bridge, of: session, by: delivery, makeRecord())
                return delivery
            case .request(let body): bridged = body
            }
            if let handed = try legacy?.removeBody(for: &request) {
                handed.complete(&request.head)
                bridged.body = handed.body(for: request.head.method)
            }
            if let post {
                request.head.method = .post
                for field in post.fields { request.head.headerFields[field.name] = field.value }
                bridged.body = post.body.isEmpty ? .empty : .bytes(post.body)
            }
            let named = try path.resolve(request, for: session, bridged: bridged)
            if let response = path.immediateResponse(to: named), let body = WholeBody(response.body) {
                let responded = ContinuousClock.now
                record(response, to: request, of: session)
                let outcome = delivery.deliver(response.head, body)
                let ended = ContinuousClock.now
                // What is told of it keeps no page waiting.
                var record = makeRecord()
                record.record(response, at: responded)
                record.record(outcome, at: ended)
                hub.send(.request(record))
            } else {
                answer(request, .success(named), of: session, by: delivery, makeRecord(), bridged)
            }
        } catch {
            answer(request, .failure(error), of: session, by: delivery, makeRecord(), BridgedBody())
        }
        return delivery
    }

    /// The longest time of a request that outlives its page.
    private static var keptAliveLimit: Duration { .seconds(300) }

    /// Looks for an answer, and delivers it when it comes.
    private func answer(
        _ request: EngineRequest, _ named: Result<RequestHandler.ResolvedRequest, any Error>, of session: PageSession?,
        by delivery: SchemeTaskDelivery, _ record: RequestRecord, _ bridged: BridgedBody
    ) {
        let (path, cookies, epoch) = (pipelines.customScheme.path, cookies, downloadManager.epoch)
        var record = record
        let waiting = blankPages?.began(of: request.view)
        // One that outlives its page has nobody to give it up.
        let timer = (bridged.timeLimit ?? (bridged.isKeptAlive ? Self.keptAliveLimit : nil)).map { limit in
            Task { [weak delivery] in
                try await Task.sleep(for: limit)
                delivery?.giveUp()
            }
        }
        delivery.start(outlivesStop: bridged.isKeptAlive) { [weak self] in
            let named = try named.get()
            if request.isMainDocument { try await self?.prepareSite(of: request) }
            guard named.wantsHandOver, let cookies else {
                let response = try await path.answer(named)
                if request.isMainDocument { await self?.lead(session, by: response) }
                return self?.downloadManager.divert(
                    response, to: request, isDocument: named.isDocument, of: session, askedIn: epoch) ?? response
            }
            return try await cookies.handingOver { try await path.answer(named) }
        } observe: { [weak self] response in
            record.record(response)
            self?.record(response, to: request, of: session)
            if let place = response.movedTo, let id = bridged.id, let view = request.view {
                self?.bridges?.record(path.place(of: place, in: session), of: id, in: view)
            }
        } completion: { [hub, weak blankPages, documentFailures] outcome in
            timer?.cancel()
            if record.isMainDocument {
                if case .failed(let error, _) = outcome {
                    documentFailures.failed(record.url, because: error)
                } else {
                    documentFailures.answered(record.url)
                }
            }
            blankPages?.ended(of: waiting)
            record.record(outcome)
            hub.send(.request(record))
        }
    }

    /// Looks for a worker's script, and has the bridge's go before it.
    private func lead(
        _ named: RequestHandler.ResolvedRequest, _ script: WorkerScript, in bridge: PageBridge,
        of session: PageSession?,
        by delivery: SchemeTaskDelivery, _ record: RequestRecord
    ) {
        let path = pipelines.customScheme.path
        var record = record
        var own: Int64?
        let waiting = blankPages?.began(of: session?.view)
        delivery.start {
            let led = try await BodyBridgeHost.lead(path.answer(named), script, in: bridge)
            own = led.own
            return led.answer
        } observe: { [weak self] response in
            record.record(response)
            self?.recordResponse(response, to: session)
        } completion: { [hub, weak blankPages] outcome in
            blankPages?.ended(of: waiting)
            record.record(outcome, of: own)
            hub.send(.request(record))
        }
    }

    private func prepareSite(of request: EngineRequest) async throws {
        try await sites?.prepare(for: configuration.names.realURL(of: request.head), in: request.view, bridges)
    }

    private func record(document request: EngineRequest, of session: PageSession?) {
        pipelines.customScheme.fields?.record(request.head)
        if let session { downloadManager.recordUserAgent(request.head.headerFields[.userAgent], of: session.id) }
        blankPages?.recordDocument(request.head.method, of: request.view)
    }

    private func record(_ response: ResourceResponse, to request: EngineRequest, of session: PageSession?) {
        // The document's own answer comes before the page shows it.
        if !request.isMainDocument { recordResponse(response, to: session) }
        if request.isMainDocument { blankPages?.recordDocument(response.head, of: request.view) }
        guard request.isMainDocument, response.isInterim, let view = request.view else { return }
        loads[view]?.passOverDocument()
    }

    /// A package that answers a page is tried by it, wherever the page's document lies.
    func recordResponse(_ response: ResourceResponse, to asked: PageSession?) {
        // Not an answer that comes when the page shows another document, or is closed.
        guard let generation = response.provenance.generation, let asked, let session = sessions[asked.view],
            session.id == asked.id, session.documentURL == asked.documentURL,
            !packages.hasRecorded(generation, of: session.id)
        else { return }
        packages.recordResponse(of: generation, to: current(session).reference)
    }
}
