// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

extension BodyRelay {
    /// Adds a whole body, to be taken with ``removeReceivedBytes(_:)``. Where there is no room for it nothing of it
    /// stays.
    /// - Parameter limit: the most bytes to accept.
    /// - Returns: how many bytes were read, and whether they are all here.
    /// - Throws: what the body does; nothing of it stays then.
    func put(whole body: ResourceBody, as id: BodyID, upTo limit: Int) async throws -> (read: Int, isWhole: Bool) {
        guard body.length ?? 0 <= limit else { return (0, false) }
        var read = 0
        func add(_ piece: Data) -> Bool {
            defer { read += piece.count }
            return read + piece.count <= limit && (try? putNow(piece, at: Int64(read), of: id)) != nil
        }
        var isWhole = false
        defer { if !isWhole { drop(id) } }
        if case .stream(let stream) = body {
            for try await piece in stream where !add(piece) { return (read, false) }
            isWhole = true
        } else {
            isWhole = add(try await body.collect(upTo: limit))
        }
        return (read, isWhole)
    }
}
