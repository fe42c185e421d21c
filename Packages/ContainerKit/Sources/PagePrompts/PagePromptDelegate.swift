// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The host's answers to what pages ask of the app; see `Container.pageDelegate`.
///
/// Each method has a default that refuses, or lets go. A method that throws, that does not return within its limit
/// (``PageRequestOptions``), or whose page goes away meanwhile counts for nothing: the default is taken, and the task
/// that the method runs in is cancelled.
/// Isolation: the main actor.
@MainActor
public protocol PageDelegate: AnyObject {
    /// A page wants to open a window, to leave for another scheme, or to show a document of a host outside.
    func link(_ request: LinkRequest) async throws -> LinkDecision
    /// A page shows a dialog, and stands still until it is answered.
    func dialog(_ request: DialogRequest) async throws -> DialogDecision
    /// A page wants to use something that is somebody's.
    func permission(_ request: PermissionRequest) async throws -> PermissionDecision
    /// A page wants to save a file. Its server may wait meanwhile.
    func download(_ request: DownloadRequest) async throws -> DownloadDecision
}
