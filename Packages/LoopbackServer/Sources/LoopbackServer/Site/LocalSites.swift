// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The sites that the local server has been told to serve, by their names there.
///
/// Isolation: any.
final class LocalSites: Sendable {
    private struct State {
        var sites: [String: LocalSite] = [:]
        /// The one that was named last comes last.
        var names: [String] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most sites; for one more the one that was named least lately goes.
    init(limit: Int) {
        self.limit = limit
    }

    func serve(_ site: LocalSite) {
        state.withLock { state in
            if state.sites.updateValue(site, forKey: site.name) != nil { state.names.removeAll { $0 == site.name } }
            state.names.append(site.name)
            if state.names.count > limit { state.sites[state.names.removeFirst()] = nil }
        }
    }

    /// - Parameter name: in any case.
    func site(named name: String) -> LocalSite? {
        state.withLock { $0.sites[name.lowercased()] }
    }
}
