// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPSemantics

/// The options for package and preview URLs without a file, which imitate the behaviour of the site's server.
///
/// A request that matches no file goes to the network, or gets status 404 if the package is complete.
public struct FileAnswerOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether `/a` is redirected to `/a/` if `/a/` has a file; false by default.
    public var redirectsToFolders = false
    /// A Boolean value that indicates whether `/a` is answered with the file `/a.html`; false by default.
    public var addsHTMLExtension = false

    /// Creates the default options.
    public init() {}

    /// The corresponding options of `SemanticsLoader`.
    package var semantics: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.redirectsToFolders = redirectsToFolders
        options.addsHTMLExtension = addsHTMLExtension
        return options
    }
}
