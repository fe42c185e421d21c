// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// What survives a restart: the count of errors and the times. A check that was under way died with its process.
extension TableCheck: Codable {
    private enum CodingKeys: String, CodingKey {
        case errors, lastCheck, lastPrimary
    }

    /// Takes a count out of range for the nearest that is in it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            errors: try container.decode(Int.self, forKey: .errors),
            lastCheck: try container.decodeIfPresent(Date.self, forKey: .lastCheck),
            lastPrimary: try container.decodeIfPresent(Date.self, forKey: .lastPrimary))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(errors, forKey: .errors)
        try container.encodeIfPresent(lastCheck, forKey: .lastCheck)
        try container.encodeIfPresent(lastPrimary, forKey: .lastPrimary)
    }
}
