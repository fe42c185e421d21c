// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SchemeMode

/// Asks servers of other origins before a request that is made ahead goes there, where the engine does so for the
/// page's own: those come with a mode that is not known, and pass.
struct AheadPreflight: ResourceLoading {
    private let base: any ResourceLoading
    private let asking: PreflightLoader

    init(_ base: any ResourceLoading, cache: PreflightCache) {
        self.base = base
        asking = PreflightLoader(base, cache: cache)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        request.mode == .cors ? try await asking.load(request) : try await base.load(request)
    }

    func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        base.promptAnswer(to: request)
    }
}
