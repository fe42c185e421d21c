// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import HTTPTypes
internal import ResourceLoading
@_spi(Facade) public import SchemeRouter

/// A document that turns features of a container on and off; `docs/remote-config.md` describes the format.
///
/// A document is valid as a whole: a document with an error cannot be created.
public struct RemoteConfigDocument: Sendable {
    /// The maximum length of a document, in bytes.
    public static let maxBytes = 256 << 10
    /// The maximum depth of objects and arrays.
    public static let maxDepth = 16
    /// The maximum number of entries of the deny list.
    @_spi(Fuzzing) public static let maxDenials = 1_000
    /// The maximum number of entries of the list of modes.
    @_spi(Fuzzing) public static let maxModes = 200
    /// The maximum length of a pattern or a salt, in bytes of UTF-8.
    public static let maxTextLength = 256

    /// The version, which increases with each document: 1 to 2^53 - 1.
    public let version: Int
    /// The highest version that the document replaces, to return to an older document; `nil` if the document replaces
    /// only older versions.
    public let replaces: Int?
    /// The time from which the document no longer applies; `nil` if it does not expire.
    public let expires: Date?
    /// A Boolean value that indicates whether any feature is on.
    public let isEnabled: Bool
    /// The roll-outs of the features that the document contains. Other features are on.
    @_spi(Fuzzing) public let features: [RemoteConfigFeature: RemoteConfigRollOut]
    /// The URLs that are never intercepted.
    public let deny: [PagePattern]
    /// The modes of pages by host; the last matching entry applies.
    public let modes: [(host: HostPattern, mode: RemoteConfigMode)]
    /// The rules for requests that the host intercepts; at most 200. Rules other than `pass` apply only to the hosts of
    /// ``RemoteConfigOptions/ruleHosts``.
    public let rules: RouteRules
    /// The numbers that replace the numbers of the host.
    public let numbers: RemoteConfigNumbers
    /// The bytes of the document.
    public let json: Data
    /// The switch and the deny list as rules that can veto interception but never enable it.
    @_spi(Fuzzing) public let vetoes: RouteRules
    /// The modes as rules that can veto interception but never enable it.
    @_spi(Fuzzing) public let modeRules: RouteRules
    /// The modes by page pattern.
    package let pageModes: [(pages: PagePattern, mode: RemoteConfigMode)]

    /// Parses a document.
    /// - Parameter json: the document in UTF-8, at most ``maxBytes``.
    /// - Throws: ``RemoteConfigError`` whose location is the field. The document is refused as a whole.
    public init(json: Data) throws(RemoteConfigError) {
        let parsed = try RemoteConfigJSON.read(json)
        self.json = json
        version = parsed.version
        replaces = parsed.replaces
        expires = parsed.expires
        isEnabled = parsed.isEnabled
        features = parsed.features
        deny = parsed.deny
        modes = parsed.modes.map { ($0.host, $0.mode) }
        pageModes = parsed.modes.map { ($0.pages, $0.mode) }
        numbers = parsed.numbers
        rules = parsed.rules
        do {
            vetoes = try RouteRules(
                [], deny: deny.map { RouteRule(.pass, scheme: $0.scheme, host: $0.host, path: $0.path) },
                isEnabled: isEnabled)
        } catch {
            throw RemoteConfigError(.limit, "\(error)", at: "deny", cause: error)
        }
        do {
            modeRules = try RouteRules(
                parsed.modes.map { RouteRule($0.mode == .plain ? .pass : .intercept, pages: [$0.pages]) })
        } catch {
            throw RemoteConfigError(.limit, "\(error)", at: "modes", cause: error)
        }
    }

    /// Checks that the app permits the rules of the document.
    /// - Parameter hosts: the hosts that the app names for rules.
    /// - Throws: ``RemoteConfigError`` with code `badValue`.
    func check(within hosts: [HostPattern]) throws(RemoteConfigError) {
        do {
            try rules.checkRemote(within: hosts)
        } catch {
            throw (error as? RouteError).map(RemoteConfigError.init)
                ?? RemoteConfigError(.badValue, "\(error)", at: "rules", cause: error)
        }
    }

    /// Returns the mode of pages of a real URL according to the list of modes only.
    /// - Parameter url: the real URL of the page.
    public func mode(for url: String) -> RemoteConfigMode {
        guard let request = HTTPRequest(urlText: url) else { return .configured }
        let decision = modeRules.decide(request, page: url)
        guard case .rule(let index) = decision.reason else { return .configured }
        return modes[index].mode
    }

    /// Returns a Boolean value that indicates whether the document applies at a time.
    /// - Parameter time: the time.
    public func applies(at time: Date) -> Bool {
        expires.map { time < $0 } ?? true
    }

    /// Returns the features that are on for a device; an empty set if ``isEnabled`` is `false`.
    /// - Parameter device: the device.
    public func features(on device: RolloutBucket) -> Set<RemoteConfigFeature> {
        guard isEnabled else { return [] }
        return Set(RemoteConfigFeature.allCases.filter { features[$0]?.isOn(for: device) ?? true })
    }

    /// Returns a Boolean value that indicates whether the document may replace another one. This requires a newer
    /// version, or a ``replaces`` that is at least the version of the other document.
    ///
    /// After a document with ``replaces``, the documents that it replaced count as older.
    /// - Parameter other: the document that applies.
    @_spi(Fuzzing) public func mayReplace(_ other: RemoteConfigDocument) -> Bool {
        let (own, others) = (replaces ?? version, other.replaces ?? other.version)
        if own != others { return own > others }
        return replaces != nil || other.replaces == nil
    }
}
