// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import WebSyntax

/// A list of a few public suffixes. For all other names only the top-level domain is a public suffix.
struct ListedSuffixes: PublicSuffixing {
    var names: Set<String> = ["co.uk", "github.io", "s3.cloud.example"]

    func registrableDomain(of host: String) -> String? {
        if host.hasPrefix("[") || host.allSatisfy({ $0.isNumber || $0 == "." }) { return nil }
        let labels = host.split(separator: ".")
        for count in stride(from: labels.count, to: 0, by: -1) {
            let name = labels.suffix(count).joined(separator: ".")
            if names.contains(name) || count == 1 {
                return count == labels.count ? nil : labels.suffix(count + 1).joined(separator: ".")
            }
        }
        return nil
    }
}

/// A list in which only the top-level domains are public suffixes.
struct TopLevelSuffixes: PublicSuffixing {
    func registrableDomain(of host: String) -> String? {
        ListedSuffixes(names: []).registrableDomain(of: host)
    }
}
