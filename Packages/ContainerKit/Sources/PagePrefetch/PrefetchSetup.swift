// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SchemeMode

/// Asks servers of other origins before a request that is made ahead goes there, where the engine does so for the
/// page's own: those come with a mode that is not known, and pass.
struct PrefetchPreflightLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let asking: PreflightLoader

    init(_ base: any ResourceLoader, cache: PreflightCache) {
        self.base = base
        asking = PreflightLoader(base, cache: cache)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        request.mode == .cors ? try await asking.load(request) : try await base.load(request)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        base.immediateResponse(to: request)
    }
}
