// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) package import CookieBridge
package import HTTPCache
internal import HTTPSemantics
@_spi(Facade) package import HTTPTransport
internal import HTTPTypes
package import Prefetch
package import ResourceLoading
@_spi(Facade) package import SchemeMode
internal import SchemeRouter
package import WebEngine

/// The loaders that answer requests in one mode: content sources, prefetch, HTTP cache and network, with what the engine
/// does not do by itself around them.
package struct LoaderStack: Sendable {
    /// Answers pages: content sources, prefetch, HTTP cache, network.
    let page: any ResourceLoader
    /// Answers pages by the network alone, for requests that the rules bypass.
    let pageBypass: any ResourceLoader
    /// Answers requests for files that are saved: as ``page``, with redirects and bytes as they come.
    let saved: any ResourceLoader
    /// As ``pageBypass``, for files that are saved.
    let savedBypass: any ResourceLoader
    /// Answers the app's own requests, which no rule of the web restricts.
    let app: any ResourceLoader
    /// As ``pageBypass``, for the app's own requests.
    let appBypass: any ResourceLoader
    /// Makes requests ahead of pages; `nil` where nothing is fetched ahead.
    let prefetch: PrefetchLoader?

    /// The parts that a stack is made of.
    package struct Parts {
        let names: SchemeNames
        let traits: EngineTraits
        let sources: ContentSources
        let network: NetworkLoader
        let cache: CachingLoader?
        let cacheSwitch: FeatureSwitch
        let isCacheOfOthers: Bool
        let cookies: PageCookies?
        let prefetch: (any PrefetchLoading)?

        /// - Parameters:
        ///   - names: the custom schemes.
        ///   - traits: the traits of the engine in the mode.
        ///   - sources: the content sources.
        ///   - network: the network.
        ///   - cache: the HTTP cache; `nil` for none.
        ///   - cacheSwitch: the switch of the HTTP cache.
        ///   - isCacheOfOthers: whether the cache stores the cookies of another mode.
        ///   - cookies: the cookies of pages; `nil` if the engine has them.
        ///   - prefetch: the prefetch of the mode; `nil` for none.
        package init(
            names: SchemeNames, traits: EngineTraits, sources: ContentSources, network: NetworkLoader,
            cache: CachingLoader?, cacheSwitch: FeatureSwitch, isCacheOfOthers: Bool, cookies: PageCookies?,
            prefetch: (any PrefetchLoading)?
        ) {
            self.names = names
            self.traits = traits
            self.sources = sources
            self.network = network
            self.cache = cache
            self.cacheSwitch = cacheSwitch
            self.isCacheOfOthers = isCacheOfOthers
            self.cookies = cookies
            self.prefetch = prefetch
        }
    }

    /// - Parameter settle: adds what the engine does not do to the responses of a loader that answers pages.
    init(_ parts: Parts, settle: (any ResourceLoader) -> any ResourceLoader) {
        let traits = parts.traits
        let content = parts.sources.loaders(for: traits)
        // Content sources ask the network themselves: what they fetch is kept by them, or not at all.
        let storing: any ResourceLoader =
            parts.cookies.map { CookieStoringLoader(parts.network, cookies: $0) } ?? parts.network
        let pastCache: any ResourceLoader = parts.cache.map { BypassLoader(network: storing, cache: $0) } ?? storing
        func cached(_ other: any ResourceLoader) -> any ResourceLoader {
            guard let cache = parts.cache else { return other }
            return SwitchedLoader(parts.cacheSwitch, on: cache, off: pastCache)
        }
        func decoded(_ loader: any ResourceLoader) -> any ResourceLoader {
            traits.decodes ? DecodingLoader(loader) : loader
        }
        let permissions = PreflightCache()
        func preflighted(_ loader: any ResourceLoader) -> any ResourceLoader {
            traits.preflights ? loader : PreflightLoader(loader, names: parts.names, cache: permissions)
        }
        func withCookies(_ loader: any ResourceLoader) -> any ResourceLoader {
            parts.cookies.map { CookieSendingLoader(loader, cookies: $0) } ?? loader
        }

        // An engine that keeps responses itself does so by the rules of HTTP; two caches would hold everything twice.
        let origin: any ResourceLoader = traits.caches ? storing : cached(storing)
        // Below the page's cookies, which are part of what a prefetched response is for.
        prefetch = parts.prefetch?.loader(
            over: preflighted(origin), permissions: traits.preflights ? permissions : nil)
        saved = LoaderChain(content + [CloseDelimitedLoader(withCookies(prefetch ?? preflighted(origin)))])
        savedBypass = CloseDelimitedLoader(withCookies(preflighted(parts.isCacheOfOthers ? storing : pastCache)))
        page = settle(saved)
        pageBypass = settle(savedBypass)
        app = decoded(LoaderChain(content + [CloseDelimitedLoader(cached(parts.network))]))
        appBypass = decoded(CloseDelimitedLoader(pastCache))
    }
}

/// The stage of the requests that are made ahead of a page, which the stack puts between content and the HTTP cache.
package protocol PrefetchLoading: Sendable {
    /// Returns the loader that makes requests ahead and answers the requests of pages with their responses.
    /// - Parameters:
    ///   - next: the loader of requests made ahead and of all that have no such response.
    ///   - permissions: the cache of CORS preflights, if the engine makes preflights for the requests of pages.
    func loader(over next: any ResourceLoader, permissions: PreflightCache?) -> PrefetchLoader
}

/// Loads what the rules bypass: from the network alone. A request that is not safe (RFC 9110, section 9.2.1) goes through
/// the HTTP cache, which sends it on, too, and then no longer answers with what it holds of that URL; it stores nothing of
/// the response.
struct BypassLoader: ResourceLoader {
    let network: any ResourceLoader
    let cache: CachingLoader

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let isSafe = [.get, .head, .options, .trace].contains(request.head.method)
        return try await isSafe ? network.load(request) : cache.pass(request)
    }
}
