// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The observation that a page stays blank. Cases are added over time; include a `default` when switching.
public enum BlankPageSignal: String, Sendable, Hashable, CaseIterable {
    /// The web process of the page ended.
    case processEnded
    /// The document could not be loaded, and the view shows no other document.
    case loadFailed
    /// The document comes from a package and has no element, no text and no script.
    case emptyDocument
    /// A script of a package threw an error, and nothing was painted.
    case bootError
    /// A package's script that is not `async`, or a package's style sheet that blocks rendering, could not be loaded,
    /// and nothing was painted.
    case failedResource
    /// The process of the page has been unresponsive for a long time, for example because of an endless loop, and
    /// nothing was painted.
    case unresponsive
    /// The page has scripts, but has painted nothing in time.
    case noFirstPaint
    /// Something was painted, but the snapshot of the page has only one colour.
    case uniformPicture

    /// A Boolean value that indicates whether the signal results from the examination of a loaded document.
    var isExaminationResult: Bool { ![.processEnded, .loadFailed, .unresponsive].contains(self) }

    /// A Boolean value that indicates whether the signal is evidence against the version of a package. The end of a
    /// process and a long computation are not.
    var isOfVersion: Bool { [.emptyDocument, .bootError, .failedResource].contains(self) }
}

/// A step of the recovery of a blank page.
public struct BlankPageStep: Sendable, Hashable {
    /// The kind of a step. Cases are added over time; include a `default` when switching.
    public enum Kind: String, Sendable, Hashable {
        /// The page was reloaded.
        case reloaded
        /// The page was reloaded without the package that provides its document. If the package version on trial is
        /// responsible and a former version exists, the former version is used, otherwise the network.
        case reloadedWithoutPackage
        /// The error page was shown instead of the page.
        case showedErrorPage
        /// The user retried on the error page. This does not count as a step, and the count restarts.
        case retried
    }

    /// The kind of the step.
    public let kind: Kind
    /// The signal that led to the step.
    public let signal: BlankPageSignal
    /// The details of the signal: the error of a script, the URL of a resource, or the reason that the engine
    /// reports. The page may have written the text.
    public let detail: String
    /// The number of the step for the page, starting at 1. It is 0 for steps that do not count: ``Kind/retried``, and a
    /// reload after the end of a process without evidence that the page was blank.
    public let number: Int
    /// The URL of the script or the resource that caused the signal, if there is one.
    var source: String?
    /// A Boolean value that indicates whether the step does not count towards ``BlankPageOptions/stepLimit``.
    var isFree = false
}
