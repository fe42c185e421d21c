// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPSemantics
package import HTTPTypes
@_spi(Facade) package import ResourceLoading
internal import SchemeRouter
package import WebEngine

/// A source of content that precedes the prefetched responses, the HTTP cache and the network.
///
/// A container has one list of sources. The interception policy uses it for the coverage, and the request handler for
/// the order of the loaders. Neither refers to a specific source.
///
/// Isolation: any. All requirements except `holds` read memory; they neither wait nor throw.
package protocol ContentSource: Sendable {
    /// The feature switch of the source, or `nil` if the source is always on.
    var feature: FeatureSwitch? { get }

    /// The options that define how whole files of the source become HTTP responses. Consecutive sources with equal
    /// options form one group, which is searched for each candidate path of a request.
    var semantics: SemanticsLoader.Options { get }

    /// Returns the loader of the source.
    /// - Parameter traits: the traits of the engine whose requests are answered.
    /// - Returns: the loader, or `nil` if the source cannot answer requests of an engine with these traits.
    func loader(for traits: EngineTraits) -> (any ResourceLoader)?

    /// Returns a Boolean value that indicates whether the source causes interception of the request.
    func covers(_ request: HTTPRequest) -> Bool

    /// Returns a Boolean value that indicates whether the source probably has the response, so that the network is not
    /// needed. The result is based on data in memory.
    func lists(_ request: HTTPRequest) -> Bool

    /// Returns a Boolean value that indicates whether an open page is pinned to a version of the source that covers the
    /// URL, independent of the current coverage.
    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool

    /// Returns a Boolean value that indicates whether the source has the response to a GET of the URL for an open page.
    /// May read from disk.
    func holds(_ request: HTTPRequest, for page: PageReference) -> Bool

    /// Returns a Boolean value that indicates whether the source may answer any request to the origin of this request.
    /// The path is ignored.
    func mayServe(originOf request: HTTPRequest) -> Bool
}

extension ContentSource {
    fileprivate var isOn: Bool { feature?.isOn ?? true }

    package func lists(_ request: HTTPRequest) -> Bool { covers(request) }

    package func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { false }

    package func holds(_ request: HTTPRequest, for page: PageReference) -> Bool { covers(request) }
}

/// The sources of a container, in the order in which they answer.
package struct ContentSources: Sendable {
    private let all: [any ContentSource]

    /// Creates the list.
    /// - Parameter all: the sources, in order.
    package init(_ all: [any ContentSource]) {
        self.all = all
    }

    func cover(_ request: HTTPRequest) -> Bool { all.contains { $0.isOn && $0.covers(request) } }

    func cover(_ request: HTTPRequest, for page: PageReference) -> Bool {
        all.contains { $0.covers(request, for: page) }
    }

    func list(_ request: HTTPRequest) -> Bool { all.contains { $0.isOn && $0.lists(request) } }

    func hold(_ request: HTTPRequest, for page: PageReference) -> Bool {
        all.contains { $0.isOn && $0.holds(request, for: page) }
    }

    /// Returns a Boolean value that indicates whether a source may answer any request to an origin.
    /// - Parameters:
    ///   - request: a request to the origin.
    ///   - countsOff: a Boolean value that indicates whether to include sources that are switched off.
    func mayServe(originOf request: HTTPRequest, countsOff: Bool = false) -> Bool {
        all.contains { (countsOff || $0.isOn) && $0.mayServe(originOf: request) }
    }

    /// Returns the loaders of the sources, in order.
    func loaders(for traits: EngineTraits) -> [any ResourceLoader] {
        var groups: [(semantics: SemanticsLoader.Options, loaders: [any ResourceLoader])] = []
        for source in all {
            guard var loader = source.loader(for: traits) else { continue }
            if let feature = source.feature { loader = SwitchedLoader(feature, on: loader) }
            if groups.last?.semantics == source.semantics {
                groups[groups.count - 1].loaders.append(loader)
            } else {
                groups.append((source.semantics, [loader]))
            }
        }
        return groups.map { .settled(LoaderChain($0.loaders), options: $0.semantics) }
    }
}
