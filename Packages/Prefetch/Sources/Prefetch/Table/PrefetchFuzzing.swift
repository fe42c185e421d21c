// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The entry points of the fuzz targets.
@_spi(Fuzzing) public enum PrefetchFuzzing {
    /// Parses any bytes as a body, and checks the invariants of the canonical form.
    /// - Returns: a Boolean value that indicates whether all invariants hold; bytes that are not JSON are valid input.
    public static func bodiesHold(_ bytes: Data) -> Bool {
        guard let value = try? JSONValue(json: bytes, maxDepth: 32) else { return true }
        let canonical = value.canonical
        return [canonical, value.text].allSatisfy { bytes in
            (try? JSONValue(json: bytes, maxDepth: 32))?.canonical == canonical
        }
    }
}
