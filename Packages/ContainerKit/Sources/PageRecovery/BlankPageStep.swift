// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The observation that shows that a page stays blank. Cases are added over time: keep a default when switching.
public enum BlankPageSignal: String, Sendable, Hashable, CaseIterable {
    /// The web process of the page ended.
    case processEnded
    /// The document could not be loaded, and the view shows nothing else.
    case loadFailed
    /// The document, which comes from a package, has no element, no text and no script.
    case emptyDocument
    /// A script of a package threw an error, and nothing was painted.
    case bootError
    /// A script that is not `async`, or a style sheet that blocks rendering, belongs to a package and could not be
    /// loaded, and nothing was painted.
    case failedResource
    /// The process of the page has not answered for a long time, and nothing was painted: its script hangs.
    case unresponsive
    /// The page has painted nothing in time although it has scripts.
    case noFirstPaint
    /// The snapshot of the page has one colour only although something was painted.
    case uniformPicture

    /// A Boolean value that indicates whether the examination of a loaded document leads to the signal.
    var isOfLook: Bool { ![.processEnded, .loadFailed, .unresponsive].contains(self) }

    /// A Boolean value that indicates whether the signal is evidence against the version of a package. The end of a
    /// process and a long computation are not.
    var isOfVersion: Bool { [.emptyDocument, .bootError, .failedResource].contains(self) }
}

/// A step of the recovery of a blank page.
public struct BlankPageStep: Sendable, Hashable {
    /// The kind of a step. Cases are added over time: keep a default when switching.
    public enum Kind: String, Sendable, Hashable {
        /// The page was reloaded.
        case reloaded
        /// The page was reloaded without the package that its document comes from: from the former version, if the
        /// version on trial is responsible and a former one is there, else from the network.
        case reloadedWithoutPackage
        /// The error page was shown in place of the page.
        case showedErrorPage
        /// The user retried on the error page. It does not count as a step, and the count starts again.
        case retried
    }

    /// The kind of the step.
    public let kind: Kind
    /// The signal that led to the step.
    public let signal: BlankPageSignal
    /// The details of the signal: the error of a script, the URL of a resource, the reason that the engine gives. The
    /// page may have written the text.
    public let detail: String
    /// The number of the step for the page, from 1; zero for steps that do not count: ``Kind/retried``, and the reload
    /// of a page that was well when its process ended.
    public let number: Int
    /// The URL of the script or the resource that the signal is about, if there is one.
    var source: String?
    /// A Boolean value that indicates whether the step does not count towards ``BlankPageOptions/stepLimit``.
    var isFree = false
}
