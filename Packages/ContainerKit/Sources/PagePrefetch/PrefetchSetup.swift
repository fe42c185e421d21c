// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Prefetch
internal import PublicSuffixList
package import ResourceLoading
@_spi(Facade) package import SchemeMode

extension Prefetcher {
    /// The parts of a mode's prefetch that are created before the request pipeline: the options, the completion of
    /// requests, and the state of opening pages.
    package struct Setup: Sendable {
        /// The header fields that the engine adds to requests in this mode.
        package let fields: EngineFields
        /// The options; the memory limit is the share of this mode.
        package let options: PrefetchOptions
        let pages: OpeningPages
        private let completion: PrefetchCompletion

        /// Creates the setup of a mode.
        /// - Parameters:
        ///   - options: the options.
        ///   - fields: the header fields that the engine adds to requests in this mode.
        ///   - names: the custom schemes.
        ///   - acceptLanguage: the `Accept-Language` of the engine's traits.
        ///   - packages: the loader of offline packages; requests that it serves are not prefetched.
        ///   - modeCount: the number of modes that share the memory limit.
        package init(
            _ options: PrefetchOptions, fields: EngineFields, names: SchemeNames, acceptLanguage: String?,
            packages: any ResourceLoader, modeCount: Int = 1
        ) {
            self.fields = fields
            var options = options
            options.loader.maxBytes /= modeCount
            self.options = options
            pages = OpeningPages()
            completion = PrefetchCompletion(
                fields: fields, pages: pages, sendsCookiesToOtherOrigins: options.sendsCookiesToOtherOrigins,
                packages: packages,
                completion: RequestCompletion(names, sites: SuffixList(), acceptLanguage: acceptLanguage))
        }

        /// Returns the loader that makes prefetches and serves the requests of pages from their responses.
        /// - Parameters:
        ///   - next: the loader of prefetches and of all requests without a prefetched response.
        ///   - permissions: the cache of CORS preflights, if the engine makes preflights for the requests of pages.
        package func loader(over next: any ResourceLoader, permissions: PreflightCache?) -> PrefetchLoader {
            PrefetchLoader(
                next: permissions.map { PreflightingLoader(next, cache: $0) } ?? next, completing: completion,
                configuration: options.loader)
        }
    }
}

/// A loader that makes CORS preflights for prefetches. The engine makes the preflights for the pages' own requests.
/// Those requests have an unknown mode and pass through.
private struct PreflightingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let preflightLoader: PreflightLoader

    init(_ base: any ResourceLoader, cache: PreflightCache) {
        self.base = base
        preflightLoader = PreflightLoader(base, cache: cache)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        request.mode == .cors ? try await preflightLoader.load(request) : try await base.load(request)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        base.immediateResponse(to: request)
    }
}
