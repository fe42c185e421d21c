// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit

/// The screen of an app that shows a page of the shop.
@MainActor
final class ShopScreen<Engine: WebEngineDriver>: PageDelegate {
    enum State: Equatable {
        case closed, loading, shown
        case failed(String)
    }

    private(set) var state = State.closed
    /// The phone numbers that the app has called.
    private(set) var calls: [String] = []
    private let container: Container<Engine>
    private let clock: any Clock<Duration>
    private var page: Page<Engine.View>?

    init(_ container: Container<Engine>, clock: any Clock<Duration> = ContinuousClock()) {
        self.container = container
        self.clock = clock
        container.pageDelegate = self
    }

    func open(_ url: String) async {
        state = .loading
        do {
            let page = try await container.open(url)
            self.page = page
            try await page.load.finished(within: .seconds(10), clock: clock)
            state = .shown
        } catch let error as EngineError where error.code == .timedOut {
            state = .failed("The shop takes too long.")
        } catch {
            state = .failed("The shop is closed.")
        }
    }

    func close() async {
        if let page { await container.close(page) }
        page = nil
        state = .closed
    }

    func link(_ request: LinkRequest) -> LinkDecision {
        guard request.reason == .otherScheme, request.url.hasPrefix("tel:"), request.isUserGesture else {
            return .cancel
        }
        calls.append(String(request.url.dropFirst(4)))
        return .handled
    }

    func dialog(_ request: DialogRequest) -> DialogDecision { request.safeDecision }

    func permission(_ request: PermissionRequest) -> PermissionDecision { .deny }
}
