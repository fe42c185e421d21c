// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// The location of the shared conformance data in a folder next to the repository. The data may be missing.
enum ConformanceData {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../../../shared/conformance/http-state").standardizedFileURL

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }
}
