// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import ResourceStore

/// The metadata of a generation in the store, as JSON.
///
/// It does not contain the manifest, because the records of all packages are read when the library opens. The table of
/// the generation lists the manifest's files.
struct GenerationRecord: Codable {
    var baseURL: PackageBaseURL
    var isComplete: Bool
    /// The time at which a staged generation is activated. If `nil`, the generation is discarded when the library
    /// opens.
    var timing: ApplyTiming?
    /// A Boolean value that indicates whether the generation came with the app. It is absent in older records.
    var isBaseline: Bool?
    /// The minimum version of the host, or `nil` if there is none.
    var minHost: PackageVersion?
    /// The source that the generation was fetched from, used to fetch damaged files again. It is absent in older
    /// records.
    var source: Source?

    /// The URL that later versions must lie below. It is absent in older records.
    var scope: PackageBaseURL?
    /// The address of the only source that may update the package, or `nil` if there is none. It is absent in older
    /// records.
    var boundTo: String?
    /// The sequence number of the manifest, or `nil` if it had none.
    var sequence: Int64?
    /// The SHA-256 digest of the manifest, if the publisher has signed it.
    var signedDigest: String?

    /// The rules for response fields. It is absent if there are none.
    var fieldRules: [ResponseFieldRule]?

    /// A Boolean value that indicates whether the paths have the spelling of the manifest. It is absent in older
    /// records, whose paths are in normalization form C.
    var keepsSpelling: Bool?

    private enum CodingKeys: String, CodingKey {
        case baseURL, isComplete, timing, isBaseline, minHost, source, scope, boundTo, sequence, signedDigest
        case fieldRules, keepsSpelling
    }

    /// The scope of the package. If the record has none, the scope is the origin of the base URL. For a package that
    /// came with the app it is the base URL.
    var effectiveScope: PackageBaseURL { scope ?? (isBaseline == true ? baseURL : baseURL.originRoot) }
    /// The address of the only source that may update the package. If the record has none, it is the address of the
    /// source that the generation was fetched from.
    var effectiveSource: String? { boundTo ?? source.map { PackageSource.address(of: $0.manifestURL) } }

    /// The part of a ``PackageSource`` that locates the bytes.
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
        fieldRules = manifest.fieldRules.isEmpty ? nil : manifest.fieldRules
        keepsSpelling = true
    }

    init(decoding data: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: data)
    }

    func encoded() throws -> Data {
        try JSONEncoder().encode(self)
    }
}
