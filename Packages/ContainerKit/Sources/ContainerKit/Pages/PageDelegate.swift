// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PageDelegate {
    /// Cancels.
    public func link(_ request: LinkRequest) async throws -> LinkDecision { .cancel }
    /// Cancels, and lets pages be left.
    public func dialog(_ request: DialogRequest) async throws -> DialogDecision { request.safeDecision }
    /// Denies.
    public func permission(_ request: PermissionRequest) async throws -> PermissionDecision { .deny }
    /// Cancels.
    public func download(_ request: DownloadRequest) async throws -> DownloadDecision { .cancel }
}
