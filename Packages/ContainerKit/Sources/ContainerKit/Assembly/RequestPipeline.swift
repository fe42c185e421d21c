// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import PageDownloads
internal import PagePrefetch
internal import PageRecovery
package import RequestPipeline
internal import ResourceLoading
@_spi(Facade) internal import WebEngine

extension Container: LegacyPageHost {}

extension Container {
    /// Returns the modes of pages that the host has configured.
    /// - Throws: ``ContainerError`` with code `unsupported` if modes do not go together.
    static func pageModes(_ configuration: ContainerConfiguration) throws(ContainerError) -> PageModes {
        do {
            return try PageModes(configuration.pages.mode ?? Engine.standardMode, configuration.pages.modes)
        } catch {
            throw ContainerError(error)
        }
    }
}

extension ContainerError {
    init(_ error: PageModesError) {
        self.init(.unsupported, error.message, at: error.location)
    }
}

/// Connects the requests of pages to the features of a container that observe them. The container is not retained; the
/// records of requests that end after it are sent all the same.
///
/// Isolation: the main actor.
@MainActor
final class RequestDeliveryAdapter<Engine: WebEngineDriver>: RequestDeliveryHost {
    weak var container: Container<Engine>?
    private let hub: EventHub

    init(_ hub: EventHub) {
        self.hub = hub
    }

    var downloadEpoch: Int { container?.downloadManager.epoch ?? 0 }

    func session(of view: ViewID) -> PageSession? { container?.sessions[view] }

    func documentRequested(by request: EngineRequest, of page: PageSession?) {
        guard let container else { return }
        container.pipelines.customScheme.fields?.record(request.head)
        if let page {
            container.downloadManager.recordUserAgent(request.head.headerFields[.userAgent], of: page.id)
        }
        container.blankPages?.recordDocument(request.head.method, of: request.view)
    }

    func requestBegan(in view: ViewID?) -> PageID? { container?.blankPages?.began(of: view) }

    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession?) {
        guard let container else { return }
        // The page does not show its document yet.
        guard request.isMainDocument else { return container.recordResponse(response, to: page) }
        container.blankPages?.recordDocument(response.head, of: request.view)
        guard response.isInterim, let view = request.view else { return }
        container.loads[view]?.passOverDocument()
    }

    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?) {
        container?.blankPages?.ended(of: page)
        hub.send(.request(record))
    }

    func prepare(_ page: PageSession?, for response: ResourceResponse) async {
        await container?.lead(page, by: response)
    }

    func divert(
        _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse? {
        container?.downloadManager.divert(response, to: request, isDocument: isDocument, of: page, askedIn: epoch)
    }
}
