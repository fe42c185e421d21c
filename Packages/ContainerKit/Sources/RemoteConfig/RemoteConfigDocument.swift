// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import HTTPTypes
internal import ResourceLoading
public import SchemeRouter

/// What is on and off, as a server or the host says it; `docs/remote-config.md` has the format.
///
/// A value, and valid as a whole: there is none of a document with a fault.
public struct RemoteConfigDocument: Sendable {
    /// What a document may ask for at most.
    public static let maxBytes = 256 << 10
    /// Levels of objects and arrays.
    public static let maxDepth = 16
    /// Entries of the deny list.
    public static let maxDenials = 1_000
    /// Entries of the list of modes.
    public static let maxModes = 200
    /// UTF-8 bytes of a pattern or a salt.
    public static let maxTextLength = 256

    /// Grows with each document: 1 to 2^53 - 1.
    public let version: Int
    /// The highest version that it replaces, where that is above its own: for going back to an older document.
    public let replaces: Int?
    /// From when on it has no effect; `nil` for never.
    public let expires: Date?
    /// Whether anything is on at all.
    public let isEnabled: Bool
    /// What it says of features, where it says something; others are on.
    public let features: [RemoteConfigFeature: RemoteConfigRollOut]
    /// What is never intercepted.
    public let deny: [PagePattern]
    /// The modes of pages by host; the last that fits decides.
    public let modes: [(host: HostPattern, mode: RemoteConfigMode)]
    /// Numbers in place of the host's.
    public let numbers: RemoteConfigNumbers
    /// The bytes that it was read from.
    public let json: Data
    /// The switch and the deny list, as rules that may forbid and not allow.
    @_spi(Facade) public let vetoes: RouteRules
    /// The modes, likewise.
    @_spi(Facade) public let modeRules: RouteRules
    /// The modes by page.
    @_spi(Facade) public let pageModes: [(pages: PagePattern, mode: RemoteConfigMode)]

    /// Reads a document: all of it, or none.
    /// - Parameter json: UTF-8, at most ``maxBytes``.
    /// - Throws: ``RemoteConfigError``, which names the field.
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

    /// In which mode a page of this real URL is opened, by the list of modes alone. Pure.
    public func mode(for url: String) -> RemoteConfigMode {
        guard let request = HTTPRequest(urlText: url) else { return .configured }
        let decision = modeRules.decide(request, page: url)
        guard case .rule(let index) = decision.reason else { return .configured }
        return modes[index].mode
    }

    /// Whether it has an effect at this time.
    public func applies(at time: Date) -> Bool {
        expires.map { time < $0 } ?? true
    }

    /// The features that are on for a device. None where all is off.
    public func features(on device: RolloutBucket) -> Set<RemoteConfigFeature> {
        guard isEnabled else { return [] }
        return Set(RemoteConfigFeature.allCases.filter { features[$0]?.isOn(for: device) ?? true })
    }

    /// Whether it may come in place of another document: not where it is older, unless it says that it replaces that.
    ///
    /// Where a document went back on purpose, those that it replaced are older from then on.
    public func mayReplace(_ other: RemoteConfigDocument) -> Bool {
        let (own, others) = (replaces ?? version, other.replaces ?? other.version)
        if own != others { return own > others }
        return replaces != nil || other.replaces == nil
    }
}
