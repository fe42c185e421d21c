// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes

/// The images that the app has stored for its own screens: files in a folder.
struct StoredImages: ResourceLoader {
    let folder: URL
    /// The names of the files, such as `cup.webp`.
    let names: Set<String>

    /// Returns the name of the stored file for a request such as `https://img.shop.example/cup.webp`.
    func name(for request: HTTPRequest) -> String? {
        guard let path = request.path?.dropFirst(), names.contains(String(path)) else { return nil }
        return String(path)
    }

    /// Returns the stored image, or `nil` if the network must answer.
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let name = name(for: request.head) else { return nil }
        return ResourceResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: "image/webp", .cacheControl: "max-age=86400"]),
            body: .bytes(try Data(contentsOf: folder.appendingPathComponent(name))),
            provenance: Provenance(.disk, reason: name))
    }
}

extension ContainerConfiguration {
    /// Lets pages use the images that the app has stored.
    mutating func add(_ images: StoredImages) {
        guard let host = HostPattern("img.shop.example") else { return }
        let content = HostContent(
            "images", for: [host], at: .beforeCache, coversHosts: true, contains: { images.name(for: $0) != nil },
            loader: images)
        if let content { network.hostContent.append(content) }
    }
}
