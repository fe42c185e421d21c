// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A web view of an engine.
///
/// It is split by capability. An adapter whose view lacks a capability returns `nil` for it: no capability has a default, so
/// that a forgotten one does not compile. After `discard()`, calls that can throw throw ``EngineError`` with code
/// `processEnded`, and the others do nothing.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineView: PoolableView {
    /// The identity of the view among those of its engine.
    var id: ViewID { get }

    /// Receives what happens to the view, in order, on the main actor. There is one receiver; `nil` at first.
    var onSignal: (@MainActor (ViewSignal) -> Void)? { get set }

    /// A Boolean value that indicates whether the view is gone for good: discarded, or its window closed. It is false after
    /// the end of a web process, which a reload replaces.
    var hasEnded: Bool { get }

    /// Loads and navigation.
    var loading: any ViewLoading { get }

    /// Scripts, message handlers and content rules.
    var scripting: any ViewScripting { get }

    /// Prompts: what the engine leaves to the app to decide. Without them the engine decides by itself.
    var prompts: (any ViewPrompts)? { get }

    /// Downloads that pages start. Without them pages cannot save files.
    var downloads: (any ViewDownloads)? { get }

    /// The end of a web process, and the visibility that recovery waits for. Without it a page that hangs is left alone, and
    /// one whose process ended out of sight is reloaded at once.
    var recovery: (any ViewRecovery)? { get }

    /// Pictures of pages. Without them a blank page is recognized by its document alone.
    var snapshots: (any ViewSnapshots)? { get }
}

/// Names a view of an engine while the engine lives.
public struct ViewID: Sendable, Hashable {
    /// A number that the engine gives to no other view.
    public let rawValue: UInt64

    /// Names the view of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
