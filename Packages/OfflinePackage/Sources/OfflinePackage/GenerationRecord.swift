// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import ResourceStore

/// What the library keeps with a generation in the store, as JSON.
///
/// Not the manifest: the records of all packages are read when the library opens, and the manifest's files
/// are the generation's table.
struct GenerationRecord: Codable {
    var baseURL: PackageBaseURL
    var isComplete: Bool
    /// What a staged generation waits for. One without is given up when the library opens.
    var timing: ApplyTiming?
    /// Whether it came with the app. Absent in older records, and where it did not.
    var isBaseline: Bool?
    /// The least version of the host that may make it active. Absent where any may.
    var minHost: PackageVersion?
    /// Where it was fetched from, to fetch again what is damaged. Absent in older records, and where it was not.
    var source: Source?

    /// The URL that later versions must lie under. Absent in older records.
    var scope: PackageBaseURL?
    /// The address of the source that alone may update the package. Absent in older records, and if there is none yet.
    var boundTo: String?
    /// The number of the manifest, if it had one.
    var sequence: Int64?

    private enum CodingKeys: String, CodingKey {
        case baseURL, isComplete, timing, isBaseline, minHost, source, scope, boundTo, sequence
    }

    /// The scope of the package. What an older build installed keeps its origin; what came with the app its base URL.
    var keptScope: PackageBaseURL { scope ?? (isBaseline == true ? baseURL : baseURL.originRoot) }
    /// The address of the source that alone may update the package. What an older build fetched keeps its source.
    var keptSource: String? { boundTo ?? source.map { PackageSource.address(of: $0.manifestURL) } }

    /// What of a ``PackageSource`` leads to the bytes.
    struct Source: Codable {
        var manifestURL: String
        var archiveURL: String?

        private enum CodingKeys: String, CodingKey {
            case manifestURL, archiveURL
        }
    }

    init(of manifest: PackageManifest) {
        baseURL = manifest.baseURL
        isComplete = manifest.isComplete
        minHost = manifest.minHost
        sequence = manifest.sequence
    }

    init(decoding data: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: data)
    }

    func encoded() throws -> Data {
        try JSONEncoder().encode(self)
    }
}
