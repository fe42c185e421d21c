// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat

/// A folder or a development server that stands in for a package, so that a site can be tried in the app before it is
/// packed. For debug builds: nothing of it is verified.
public struct Preview: Sendable, Hashable, CustomStringConvertible {
    /// Where the files come from.
    public enum Source: Sendable, Hashable {
        /// A folder on this machine, by its path; read anew for each request.
        case folder(String)
        /// A server, such as that of a bundler, by the URL that stands for the base URL.
        case server(PackageBaseURL)
    }

    /// What is covered.
    public var baseURL: PackageBaseURL
    public var source: Source

    public init(_ source: Source, over baseURL: PackageBaseURL) {
        self.source = source
        self.baseURL = baseURL
    }

    public var description: String {
        switch source {
        case .folder(let path): "preview of \(path) over \(baseURL)"
        case .server(let url): "preview of \(url) over \(baseURL)"
        }
    }

    func covers(_ url: PackageURL) -> Bool {
        PackageURL(baseURL.description)?.isPrefix(of: url) ?? false
    }
}
