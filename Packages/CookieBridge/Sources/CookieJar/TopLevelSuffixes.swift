// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebSyntax

/// Knows that nobody owns a top-level domain, and nothing else: `co.uk` passes for a site. For tests, and for apps that
/// talk to few servers, all of them known.
public struct TopLevelSuffixes: PublicSuffixing {
    public init() {}

    public func registrableDomain(of host: String) -> String? {
        let chain = CookieHost.chain(host)
        return chain.count < 2 ? nil : String(chain[chain.count - 2])
    }
}

extension PublicSuffixing where Self == TopLevelSuffixes {
    /// Top-level domains alone.
    public static var topLevel: TopLevelSuffixes { TopLevelSuffixes() }
}
