// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

extension ActiveRules {
    /// Returns the URLs, without queries, of the page's origin whose GET requests the current rules redirect or answer,
    /// also with an error status. Only rules with a fixed path are considered.
    /// - Parameters:
    ///   - page: The URL of the page's document.
    ///   - isCovered: `true` if all requests to the origin are intercepted if no rule matches.
    @_spi(Facade) public func answeredURLs(ofPageAt page: String, isCovered: Bool) -> [String] {
        guard isOn, haveActions, let origin = WebOrigin(url: page), let place = RoutedURL("\(origin)/") else {
            return []
        }
        let paths = (rules.rules + remoteRules.rules).filter { $0.mayMatch(place) }.compactMap(\.path?.fixed)
        return Set(paths).sorted().map { "\(origin)\($0)" }.filter { url in
            guard let request = HTTPRequest(urlText: url) else { return false }
            let action = decide(request, page: page, isCovered: isCovered).action
            return action.isResponse && action != .block(nil)
        }
    }
}
