// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerKit

/// A delegate that records the requests and returns the decisions of a test.
@MainActor
final class RecordedDelegate: PageDelegate {
    struct Refusal: Error {}

    private(set) var links: [LinkRequest] = []
    private(set) var dialogs: [DialogRequest] = []
    private(set) var permissions: [PermissionRequest] = []
    var linkAnswer: () throws -> LinkDecision = { .cancel }
    var dialogAnswer = DialogDecision.cancel
    private(set) var downloads: [DownloadRequest] = []
    var downloadAnswer: () throws -> DownloadDecision = { .cancel }
    var permissionAnswer = PermissionDecision.deny
    /// The gate that each method passes after it has recorded its request.
    let gate = CallGate()

    func link(_ request: LinkRequest) async throws -> LinkDecision {
        links.append(request)
        await gate.pass()
        return try linkAnswer()
    }

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        dialogs.append(request)
        await gate.pass()
        return dialogAnswer
    }

    func download(_ request: DownloadRequest) async throws -> DownloadDecision {
        downloads.append(request)
        await gate.pass()
        return try downloadAnswer()
    }

    func permission(_ request: PermissionRequest) async throws -> PermissionDecision {
        permissions.append(request)
        await gate.pass()
        return permissionAnswer
    }
}
