// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPSemantics

/// How a package or a preview answers paths that it has no file for, as its server may do.
///
/// What the package does not answer by these either goes to the network, or is answered 404 where the package is complete.
public struct FileAnswerOptions: Sendable, Hashable {
    /// Whether `/a` leads to `/a/` where that is answered; false by default.
    public var redirectsToFolders = false
    /// Whether `/a` is answered by `/a.html` where that is there; false by default.
    public var addsHTMLExtension = false

    /// The default options.
    public init() {}

    /// The options in the form of the loaders.
    package var semantics: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.redirectsToFolders = redirectsToFolders
        options.addsHTMLExtension = addsHTMLExtension
        return options
    }
}
