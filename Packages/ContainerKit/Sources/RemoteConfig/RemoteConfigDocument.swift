// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import HTTPTypes
internal import ResourceLoading
public import SchemeRouter

/// A document that turns features of a container on and off; `docs/remote-config.md` describes the format.
///
/// A value that is valid as a whole: a document with an error has no value.
public struct RemoteConfigDocument: Sendable {
    /// The most bytes of a document.
    public static let maxBytes = 256 << 10
    /// The most levels of objects and arrays.
    public static let maxDepth = 16
    /// The most entries of the deny list.
    public static let maxDenials = 1_000
    /// The most entries of the list of modes.
    public static let maxModes = 200
    /// The most bytes of a pattern or a salt in UTF-8.
    public static let maxTextLength = 256

    /// The version, which grows with each document: 1 to 2^53 - 1.
    public let version: Int
    /// The highest version that the document replaces if that is above its own, to return to an older document.
    public let replaces: Int?
    /// The time from which the document has no effect; `nil` if it does not expire.
    public let expires: Date?
    /// A Boolean value that indicates whether any feature is on.
    public let isEnabled: Bool
    /// The roll-outs of the features that the document names; other features are on.
    public let features: [RemoteConfigFeature: RemoteConfigRollOut]
    /// The URLs that are never intercepted.
    public let deny: [PagePattern]
    /// The modes of pages by host; the last matching entry applies.
    public let modes: [(host: HostPattern, mode: RemoteConfigMode)]
    /// The numbers that replace the host's.
    public let numbers: RemoteConfigNumbers
    /// The bytes of the document.
    public let json: Data
    /// The switch and the deny list as rules that can veto interception but never enable it.
    @_spi(Fuzzing) public let vetoes: RouteRules
    /// The modes as rules, likewise.
    @_spi(Fuzzing) public let modeRules: RouteRules
    /// The modes by page.
    package let pageModes: [(pages: PagePattern, mode: RemoteConfigMode)]

    /// Reads a document.
    /// - Parameter json: the document in UTF-8, at most ``maxBytes``.
    /// - Throws: ``RemoteConfigError`` with the field as its location; the document is refused as a whole.
    public init(json: Data) throws(RemoteConfigError) {
        let parsed = try RemoteConfigJSON.read(json)
        self.json = json
        version = parsed.version
        replaces = parsed.replaces
        expires = parsed.expires
        isEnabled = parsed.isEnabled
        features = parsed.features
        deny = parsed.deny.map(\.pattern)
        modes = parsed.modes.map { ($0.host, $0.mode) }
        pageModes = parsed.modes.map { ($0.pages, $0.mode) }
        numbers = parsed.numbers
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

    /// Returns the mode of pages of a real URL by the list of modes alone.
    /// - Parameter url: the real URL of the page.
    public func mode(for url: String) -> RemoteConfigMode {
        guard let request = HTTPRequest(urlText: url) else { return .configured }
        let decision = modeRules.decide(request, page: url)
        guard case .rule(let index) = decision.reason else { return .configured }
        return modes[index].mode
    }

    /// Returns a Boolean value that indicates whether the document has an effect at a time.
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

    /// Returns a Boolean value that indicates whether the document may replace another one, which requires a newer
    /// version, or ``replaces`` at the other's version or above.
    ///
    /// After a document with ``replaces``, the documents that it replaced count as older.
    /// - Parameter other: the document that applies.
    public func mayReplace(_ other: RemoteConfigDocument) -> Bool {
        let (own, others) = (replaces ?? version, other.replaces ?? other.version)
        if own != others { return own > others }
        return replaces != nil || other.replaces == nil
    }
}
