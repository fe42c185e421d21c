// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeMode
import WebSyntax

/// A public suffix list with `co.example` and the last label of all other names.
struct ListedSites: PublicSuffixing {
    func registrableDomain(of host: String) -> String? {
        let labels = host.split(separator: ".")
        guard !host.hasPrefix("["), labels.last.map({ Int($0) == nil }) == true else { return nil }
        let count = labels.suffix(2) == ["co", "example"] ? 3 : 2
        return labels.count < count ? nil : labels.suffix(count).joined(separator: ".")
    }
}
