// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit

/// A host that answers as it is told, and notes what it was asked.
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
    /// Whether it takes for ever, also once it is cancelled.
    var hangs = false
    /// Tells of each request that it hangs at.
    let hanging: AsyncStream<Void>
    private let hang: AsyncStream<Void>.Continuation
    private var held: [CheckedContinuation<Void, Never>] = []

    init() {
        (hanging, hang) = AsyncStream.makeStream()
    }

    /// Lets go of what hangs, so that its tasks end with the test.
    func release() {
        hangs = false
        for continuation in held { continuation.resume() }
        held = []
    }

    private func wait() async {
        guard hangs else { return }
        await withCheckedContinuation { continuation in
            held.append(continuation)
            hang.yield()
        }
    }

    func link(_ request: LinkRequest) async throws -> LinkDecision {
        links.append(request)
        await wait()
        return try linkAnswer()
    }

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        dialogs.append(request)
        await wait()
        return dialogAnswer
    }

    func download(_ request: DownloadRequest) async throws -> DownloadDecision {
        downloads.append(request)
        await wait()
        return try downloadAnswer()
    }

    func permission(_ request: PermissionRequest) async throws -> PermissionDecision {
        permissions.append(request)
        await wait()
        return permissionAnswer
    }
}
