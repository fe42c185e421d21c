// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading

/// An update that is due and has not finished.
struct DueUpdate: Sendable, Hashable {
    var source: PackageSource
    var timing: ApplyTiming
    var urgency: UpdateUrgency
    /// A Boolean value that indicates whether the app has requested the update itself.
    var isOfApp = false
    /// The version that the catalogue names, or `nil` if it names none.
    var version: PackageVersion?
    /// The number of failed attempts.
    var failures = 0

    /// The key of the update. A manifest has at most one due update.
    var key: String { source.manifestURL }

    /// Returns a Boolean value that indicates whether the scope of the package contains a page.
    func covers(_ page: PackageURL) -> Bool {
        guard let scope = source.scope ?? UpdatePlan.origin(of: source.manifestURL),
            let folder = PackageURL(scope.description)
        else { return false }
        return folder.isPrefix(of: page)
    }
}

/// The stored form.
extension DueUpdate: Codable {
    private enum CodingKeys: String, CodingKey {
        case manifest, archive, package, scope, timing, isWanted, isOfApp, version, failures
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        source = try PackageSource(
            container.decode(String.self, forKey: .manifest),
            archiveURL: container.decodeIfPresent(String.self, forKey: .archive),
            package: container.decodeIfPresent(PackageID.self, forKey: .package),
            scope: container.decodeIfPresent(PackageBaseURL.self, forKey: .scope))
        timing = try container.decode(ApplyTiming.self, forKey: .timing)
        urgency = try container.decode(Bool.self, forKey: .isWanted) ? .wanted : .whenConvenient
        isOfApp = try container.decode(Bool.self, forKey: .isOfApp)
        version = try container.decodeIfPresent(PackageVersion.self, forKey: .version)
        failures = try container.decode(Int.self, forKey: .failures)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(source.manifestURL, forKey: .manifest)
        try container.encodeIfPresent(source.archiveURL, forKey: .archive)
        try container.encodeIfPresent(source.package, forKey: .package)
        try container.encodeIfPresent(source.scope, forKey: .scope)
        try container.encode(timing, forKey: .timing)
        try container.encode(urgency == .wanted, forKey: .isWanted)
        try container.encode(isOfApp, forKey: .isOfApp)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encode(failures, forKey: .failures)
    }
}
