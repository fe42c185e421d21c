// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A worker's script, and how the container's comes before it.
///
/// A classic worker's own script is run by `importScripts`, so that it stays what it is: its lines, its directives and its
/// name. A module's comes after an import, which runs before all of it.
public struct WorkerScript: Sendable {
    /// Whether ``text(leading:)`` needs the worker's own script.
    public let isModule: Bool
    /// As the engine asks for it, without a fragment.
    let url: String
    /// Of the page that made the worker: see ``PageBridge/keep(_:of:)``.
    let visit: Int
    let prelude: String

    /// What the worker gets in place of its own script.
    /// - Parameter own: the worker's own script, where it is a module.
    public func text(leading own: String) -> String {
        isModule ? prelude + own : prelude
    }
}
