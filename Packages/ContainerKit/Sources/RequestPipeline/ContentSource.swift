// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPSemantics
package import HTTPTypes
package import ResourceLoading
internal import SchemeRouter
package import WebEngine

/// Content that answers requests before the prefetch, the HTTP cache and the network do.
///
/// A container has one list of sources. The interception policy reads from it what is covered, and the request handler in
/// which order it is loaded, so that neither knows a source by name.
///
/// Isolation: any. All requirements read memory and neither wait nor throw.
package protocol ContentSource: Sendable {
    /// The switch of the source; `nil` for one that is always on.
    var feature: FeatureSwitch? { get }

    /// The way in which whole files of the source become HTTP responses. Neighbours in the list with equal options are
    /// looked through together for each path that they make of a request.
    var semantics: SemanticsLoader.Options { get }

    /// Returns the loader that answers from the source.
    /// - Parameter traits: the traits of the engine whose requests are answered.
    /// - Returns: `nil` if the source cannot answer requests of such an engine.
    func loader(for traits: EngineTraits) -> (any ResourceLoader)?

    /// Returns `true` if requests for the URL are intercepted because of the source.
    func covers(_ request: HTTPRequest) -> Bool

    /// Returns `true` if the source answers the request as far as is known without reading, so that the network is not
    /// needed.
    func lists(_ request: HTTPRequest) -> Bool

    /// Returns `true` if an open page stays on a version of the source that covers the URL, whatever is covered now.
    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool

    /// Returns `true` if the source may answer some request to the origin of this one, whose path does not count.
    func mayServe(originOf request: HTTPRequest) -> Bool
}

extension ContentSource {
    fileprivate var isOn: Bool { feature?.isOn ?? true }

    package func lists(_ request: HTTPRequest) -> Bool { covers(request) }

    package func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { false }
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

    /// Returns `true` if a source may answer some request to an origin.
    /// - Parameter countsOff: whether sources count that are switched off.
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
