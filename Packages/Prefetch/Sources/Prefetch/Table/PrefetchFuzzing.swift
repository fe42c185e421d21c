// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The entry points of the fuzz targets.
@_spi(Fuzzing) public enum PrefetchFuzzing {
    /// Reads any bytes as a body, and holds what comes of it against what must be true of every body.
    /// - Returns: whether all of it was true; bytes that are no JSON are fine.
    public static func bodiesHold(_ bytes: Data) -> Bool {
        guard let value = try? JSONValue(json: bytes, maxDepth: 32) else { return true }
        let canonical = value.canonical
        return [canonical, value.text].allSatisfy { bytes in
            (try? JSONValue(json: bytes, maxDepth: 32))?.canonical == canonical
        }
    }
}
