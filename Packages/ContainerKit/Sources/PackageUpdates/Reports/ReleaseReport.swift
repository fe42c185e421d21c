// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import OfflinePackage
internal import PackageFormat
internal import ResourceStore

/// A report of an event of a release. It names no device, no user, no page and no URL.
struct ReleaseReport: Sendable, Hashable, Codable {
    /// The kind of an event.
    enum Event: String, Sendable, Codable {
        /// The version became active.
        case installed
        /// The version passed its trial.
        case confirmed
        /// The version failed its trial and is no longer active.
        case rolledBack = "rolled-back"
        /// An update failed.
        case updateFailed = "update-failed"
    }

    /// The package, or `nil` if the source of a failed update names none.
    var package: PackageID?
    /// The version, or `nil` if the manifest of a failed update was not read.
    var version: PackageVersion?
    /// The channel of the device, or `nil` without signed releases.
    var channel: String?
    var event: Event
    /// The kind of a failed trial, or the code of an error; otherwise `nil`.
    var reason: String?
}

extension ReleaseReport {
    private static let maxCodeBytes = 64

    /// Creates the report of an event, or returns `nil` if the event is not reported.
    init?(_ event: PackageEvent, channel: String?) {
        self.channel = channel
        switch event {
        // A change of two base URLs is two events, of which one has the generation.
        case .scopeChanged(let change) where change.reason == .activated && change.current != nil:
            (package, version, self.event) = (change.package, change.version, .installed)
        case .scopeChanged(let change) where change.failure != nil && change.former != nil:
            (package, version, self.event) = (change.package, change.version, .rolledBack)
            reason = change.failure?.rawValue
        case .confirmed(let id, let version):
            (package, self.version, self.event) = (id, version, .confirmed)
        case .updateFailed(let source, let failure):
            guard !Self.isNoFailure(failure) else { return nil }
            (package, version) = (failure.package ?? source.package, failure.version)
            (self.event, reason) = (.updateFailed, Self.code(of: failure))
        default: return nil
        }
    }

    /// Returns a Boolean value that indicates whether an update did not fail, but runs later or has no release.
    private static func isNoFailure(_ failure: PackageFailure) -> Bool {
        switch failure.cause {
        case is CancellationError: true
        case let error as DeliveryError: [.notNow, .noRelease].contains(error.code)
        case let error as StoreError: error.code == .suspended
        default: false
        }
    }

    /// Returns the code of an error. The name of a code that the app has created may be any text and is not reported.
    private static func code(of failure: PackageFailure) -> String {
        let name: String? =
            switch failure.cause {
            case let error as DeliveryError: "\(error.code)"
            case let error as PackageError: "\(error.code)"
            case let error as StoreError: "\(error.code)"
            default: nil
            }
        guard let name, (1...maxCodeBytes).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
        else { return "other" }
        return name
    }
}

// MARK: - JSON

extension ReleaseReport {
    private enum CodingKeys: String, CodingKey {
        case package, version, channel, event, reason
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // A missing value is encoded as null.
        try container.encode(package, forKey: .package)
        try container.encode(version, forKey: .version)
        try container.encode(channel, forKey: .channel)
        try container.encode(event, forKey: .event)
        try container.encode(reason, forKey: .reason)
    }

    /// Returns one object for each report, and a line feed after each.
    static func lines(_ reports: [Self]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try reports.reduce(into: Data()) { lines, report in
            lines += try encoder.encode(report)
            lines.append(UInt8(ascii: "\n"))
        }
    }
}
