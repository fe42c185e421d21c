// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// Where the shared conformance data lies: beside the repository, or nowhere.
enum ConformanceData {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../../../shared/conformance/http-state").standardizedFileURL

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }
}
