// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A web view of an engine.
///
/// The protocol is split by capability. An adapter returns `nil` for a capability that its view lacks. No capability
/// has a default, so that the compiler reports an omitted capability.
///
/// After `discard()`, throwing calls throw ``EngineError`` with code `processEnded`, and other calls do nothing.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineView: PoolableView {
    /// The identity of the view, unique in its engine.
    var id: ViewID { get }

    /// A closure that receives the signals of the view, in order, on the main actor; `nil` initially.
    var onSignal: (@MainActor (ViewSignal) -> Void)? { get set }

    /// A Boolean value that indicates whether the view was discarded or its window was closed. The end of a web process
    /// does not end the view, because a reload replaces the process.
    var hasEnded: Bool { get }

    /// Loads and navigation.
    var loading: any ViewLoading { get }

    /// Scripts, message handlers and content rules.
    var scripting: any ViewScripting { get }

    /// The prompts that the engine leaves to the app; `nil` if the engine decides by itself.
    var prompts: (any ViewPrompts)? { get }

    /// The downloads that pages start; `nil` if pages cannot save files.
    var downloads: (any ViewDownloads)? { get }

    /// The control of the web process and the view's visibility.
    ///
    /// If it is `nil`, a hanging page is not recovered, and a page whose process ended while hidden is reloaded
    /// immediately.
    var recovery: (any ViewRecovery)? { get }

    /// The snapshots of pages. If it is `nil`, a blank page is detected by its document only.
    var snapshots: (any ViewSnapshots)? { get }
}

/// The identity of a view during the lifetime of its engine.
public struct ViewID: Sendable, Hashable {
    /// The number of the view. An engine uses each number once.
    public let rawValue: UInt64

    /// Creates the identity with this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
