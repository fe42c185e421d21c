// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
internal import WebEngine

/// What the views of pages that have something fetched ahead call themselves.
///
/// Isolation: any.
final class OpeningAgents: Sendable {
    private let agents = Mutex<[PageID: UserAgent]>([:])

    /// `nil` forgets the page.
    func set(_ agent: UserAgent?, for page: PageID) {
        agents.withLock { $0[page] = agent == .engine ? nil : agent }
    }

    func agent(of page: PageID) -> UserAgent {
        agents.withLock { $0[page] } ?? .engine
    }
}
