// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// The location of the shared conformance data in a folder next to the repository. The data may be missing.
enum ConformanceData {
    static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent(
            "../../../../../shared/conformance/publicsuffix/test_psl.txt"
        )
        .standardizedFileURL

    static var isThere: Bool { FileManager.default.fileExists(atPath: file.path) }
}
