// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What is remembered of the health of packages, across processes.
public struct TrialRecord: Sendable, Hashable, Codable {
    /// The most versions of one package that are remembered as bad; the oldest is forgotten for one more.
    public static let versionsOfOnePackage = 256

    /// The trials that are under way, by package.
    public internal(set) var trials: [String: TrialPeriod] = [:]
    /// The versions that failed, by package, the oldest first. They are never tried again.
    public internal(set) var quarantine: [String: [String]] = [:]

    private enum CodingKeys: String, CodingKey {
        case trials, quarantine
    }

    public init() {}

    /// Whether a version failed its trial.
    public func isQuarantined(_ version: String, of package: String) -> Bool {
        quarantine[package]?.contains(version) ?? false
    }

    mutating func markFailed(_ version: String, of package: String) {
        guard !isQuarantined(version, of: package) else { return }
        let versions = (quarantine[package] ?? []) + [version]
        quarantine[package] = versions.suffix(Self.versionsOfOnePackage)
    }
}
