// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) package import CookieBridge
@_spi(Facade) package import HTTPCache
internal import HTTPSemantics
@_spi(Facade) package import HTTPTransport
package import Prefetch
@_spi(Facade) package import ResourceLoading
@_spi(Facade) package import SchemeMode
@_spi(Facade) internal import SchemeRouter
package import WebEngine

/// The loaders that answer requests in one mode: content sources, prefetch, HTTP cache and network, and the decorators
/// for steps that the engine does not perform.
package struct LoaderStack: Sendable {
    /// The loader for requests of pages: content sources, prefetch, HTTP cache, network.
    let page: any ResourceLoader
    /// The network-only loader for requests of pages that the policy bypasses.
    let pageBypass: any ResourceLoader
    /// The loader for files to be saved: as ``page``, but it returns redirects and unmodified bodies.
    let saved: any ResourceLoader
    /// The loader for files to be saved that the policy bypasses.
    let savedBypass: any ResourceLoader
    /// The loader for the app's own requests, to which no web security policy applies.
    let app: any ResourceLoader
    /// The loader for the app's own requests that the policy bypasses.
    let appBypass: any ResourceLoader
    /// The loader of prefetched responses, or `nil` if prefetching is not in use.
    let prefetch: PrefetchLoader?

    /// The parts of a stack.
    package struct Parts {
        let names: SchemeNames
        let traits: EngineTraits
        let sources: ContentSources
        let network: NetworkLoader
        let cache: CachingLoader?
        let cacheSwitch: FeatureSwitch
        let isCacheOfOthers: Bool
        let cookies: PageCookies?
        let engineCookies: (any EngineCookieStore)?
        let prefetch: (any PrefetchLoading)?

        /// Creates the parts.
        /// - Parameters:
        ///   - names: the custom schemes.
        ///   - traits: the traits of the engine in the mode.
        ///   - sources: the content sources.
        ///   - network: the network.
        ///   - cache: the HTTP cache; `nil` for none.
        ///   - cacheSwitch: the feature switch of the HTTP cache.
        ///   - isCacheOfOthers: a Boolean value that indicates whether the cache loads through the cookie jar of
        ///     another mode.
        ///   - cookies: the cookies of pages; `nil` if the engine stores them.
        ///   - engineCookies: the engine's store, for requests that the container makes in place of the engine; `nil`
        ///     if the engine adds its cookies to the requests, or does not store them.
        ///   - prefetch: the prefetch of the mode; `nil` for none.
        package init(
            names: SchemeNames, traits: EngineTraits, sources: ContentSources, network: NetworkLoader,
            cache: CachingLoader?, cacheSwitch: FeatureSwitch, isCacheOfOthers: Bool, cookies: PageCookies?,
            engineCookies: (any EngineCookieStore)?, prefetch: (any PrefetchLoading)?
        ) {
            self.names = names
            self.traits = traits
            self.sources = sources
            self.network = network
            self.cache = cache
            self.cacheSwitch = cacheSwitch
            self.isCacheOfOthers = isCacheOfOthers
            self.cookies = cookies
            self.engineCookies = engineCookies
            self.prefetch = prefetch
        }
    }

    /// Creates the loaders.
    /// - Parameters:
    ///   - parts: the parts.
    ///   - action: a closure that returns the action of route rules for one hop of an intercepted request.
    ///   - settle: a closure that wraps a loader for pages in the steps that the engine does not perform.
    init(
        _ parts: Parts, action: @escaping @Sendable (ResourceRequest) -> RouteActionResult,
        settle: (any ResourceLoader) -> any ResourceLoader
    ) {
        let traits = parts.traits
        let content = parts.sources.loaders(for: traits)
        // Content sources use the network directly. They store their responses themselves, or not at all.
        let storing: any ResourceLoader =
            parts.cookies.map { CookieStoringLoader(parts.network, cookies: $0) } ?? parts.network
        let pastCache = parts.cache?.makeBypassLoader(network: storing) ?? storing
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
            if let store = parts.engineCookies { return EngineCookieLoader(loader, store: store) }
            return parts.cookies.map { CookieSendingLoader(loader, cookies: $0) } ?? loader
        }

        // An engine with an HTTP cache of its own needs no second cache. The cache of a mode with a cookie jar would
        // store the cookies of responses in that jar, and not in the engine.
        let origin = (traits.caches || parts.isCacheOfOthers ? storing : cached(storing)).settingFields(by: action)
        // The prefetch loader is inside the cookie loader, because the cookies are part of the key of a prefetched
        // response.
        prefetch = parts.prefetch?.loader(
            over: preflighted(origin), permissions: traits.preflights ? permissions : nil)
        saved = LoaderChain(content + [CloseDelimitedLoader(withCookies(prefetch ?? preflighted(origin)))])
            .performingActions(by: action)
        savedBypass = CloseDelimitedLoader(withCookies(preflighted(parts.isCacheOfOthers ? storing : pastCache)))
        page = settle(saved)
        pageBypass = settle(savedBypass)
        let appOrigin = cached(parts.network).settingFields(by: action)
        app = decoded(LoaderChain(content + [CloseDelimitedLoader(appOrigin)]).performingActions(by: action))
        appBypass = decoded(CloseDelimitedLoader(pastCache))
    }
}

/// The stage of prefetched responses, which the stack inserts between the content sources and the HTTP cache.
package protocol PrefetchLoading: Sendable {
    /// Returns the loader that sends prefetch requests and answers requests of pages with their responses.
    /// - Parameters:
    ///   - next: the loader of prefetch requests and of requests without a prefetched response.
    ///   - permissions: the cache of CORS preflights, if the engine makes preflights for requests of pages; otherwise
    ///     `nil`.
    func loader(over next: any ResourceLoader, permissions: PreflightCache?) -> PrefetchLoader
}
