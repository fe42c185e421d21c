// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// Files in memory that are sent at a constant rate.
struct PacedNetwork: ResourceLoader {
    /// The files by path.
    let files: [String: Data]
    let bytesPerSecond: Double
    private static let roundTrip = Duration.milliseconds(150)
    private static let piece = 8_192

    init(files: [String: Data], bytesPerSecond: Double) {
        self.files = files
        self.bytesPerSecond = bytesPerSecond
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let path = request.head.path, let file = files[path] else { return nil }
        try await Task.sleep(for: Self.roundTrip)
        let start = ContinuousClock.now
        let rate = bytesPerSecond
        let places = AsyncStream(Int.self) { continuation in
            for place in stride(from: 0, to: file.count, by: Self.piece) { continuation.yield(place) }
            continuation.finish()
        }
        // The reader pulls each piece of the stream, so that back-pressure applies.
        let pieces = places.map { place in
            let piece = file.dropFirst(place).prefix(Self.piece)
            try await Task.sleep(until: start + .seconds(Double(place + piece.count) / rate), clock: .continuous)
            return Data(piece)
        }
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\"", .contentLength: "\(file.count)"]),
            body: .stream(ByteStream(pieces, length: Int64(file.count))),
            provenance: Provenance(.network, reason: "paced"))
    }
}
