// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Something that a page or its host left in a view.
public struct ResidualState: Sendable, Hashable, CustomStringConvertible {
    /// Lower-case words joined by hyphens.
    public let description: String

    /// Names a kind of remain that an engine knows beside those here.
    public init(_ description: String) {
        self.description = description
    }

    /// Pages to go back or forward to.
    public static let history = ResidualState("history")
    /// A document that is not blank, a window's name or an opener, or a load under way.
    public static let document = ResidualState("document")
    /// What one view's pages store for themselves: sessionStorage.
    public static let storage = ResidualState("storage")
    /// Scripts that run in each page.
    public static let scripts = ResidualState("scripts")
    /// Answers to messages of pages.
    public static let handlers = ResidualState("handlers")
    /// Someone who hears of the view, or answers its dialogs.
    public static let delegates = ResidualState("delegates")
    /// Another size of the page than the engine's.
    public static let zoom = ResidualState("zoom")
    /// Another user agent than the view was made with.
    public static let userAgent = ResidualState("user-agent")
    /// Sound, silence that was asked for, a camera, a microphone or a captured screen.
    public static let media = ResidualState("media")
}
