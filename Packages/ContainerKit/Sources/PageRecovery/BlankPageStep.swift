// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What shows that a page stays white. Kinds are added over time: keep a default when switching.
public enum BlankPageSignal: String, Sendable, Hashable, CaseIterable {
    /// The page's web process ended.
    case processEnded
    /// The document could not be had, and nothing else is shown.
    case loadFailed
    /// The document, which a package has answered, holds nothing: no element in it, no text, no script.
    case emptyDocument
    /// A script of a package threw, and nothing was painted.
    case bootError
    /// A script that is not `async`, or a style sheet that is waited for, lies in a package and could not be had, and
    /// nothing was painted.
    case failedResource
    /// The page's process has not answered for long, and nothing was painted: its script hangs.
    case unresponsive
    /// Nothing was painted in time, and the page has scripts that should have.
    case noFirstPaint
    /// The picture of the page has one colour only, although something was painted.
    case uniformPicture

    /// Whether a look at a document that is there has shown it.
    var isOfLook: Bool { ![.processEnded, .loadFailed, .unresponsive].contains(self) }
}

/// What was done about a page that stays white.
public struct BlankPageStep: Sendable, Hashable {
    /// What it was. Kinds are added over time: keep a default when switching.
    public enum Kind: String, Sendable, Hashable {
        /// The page was loaded anew.
        case reloaded
        /// The page was loaded anew without the package that is behind its document: from the former version where the
        /// one on trial was to blame and there is one, else from the network.
        case reloadedWithoutPackage
        /// A page that says so was shown in its place.
        case showedErrorPage
        /// Someone asked to try again, on that page. It counts as no step, and those before are forgotten.
        case retried
    }

    /// What was done.
    public let kind: Kind
    /// What was seen.
    public let signal: BlankPageSignal
    /// What was seen, in words: a script's error, the URL of a resource, the engine's reason. The page may have written
    /// it.
    public let detail: String
    /// Which step it is of those that may be taken, from 1; zero for ``Kind/retried``, and for a page that was
    /// well and is loaded anew as its process ended, which count as none of them.
    public let number: Int
    /// The URL that what was seen is laid to, where there is one.
    var source: String?
    /// Whether it counts as none of those that may be taken.
    var isFree = false
}
