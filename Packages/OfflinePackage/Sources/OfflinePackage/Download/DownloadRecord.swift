// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import PackageFormat

/// What is kept beside a partial file, as JSON, so that a later process may go on with it.
struct DownloadRecord: Sendable, Hashable, Codable {
    var url: String
    /// What the server named the representation by, where that was strong.
    var validator: RangeValidator?
    /// The size of the whole, where the server told it.
    var total: Int64?
    /// What the manifest names the whole by.
    var sha256: SHA256Digest?

    private enum CodingKeys: String, CodingKey {
        case url, validator, total, sha256
    }

    /// Whether the bytes that are there may be gone on with. Without a validator the digest of the whole has to tell
    /// in the end whether two representations were mixed.
    var isResumable: Bool { validator != nil || sha256 != nil }
}
