// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import PublicSuffixList
internal import SchemeMode

/// Where sites begin, for the jar and for what requests say of who asks.
struct Suffixes: PublicSuffixing, SiteNaming {
    func registrableDomain(of host: String) -> String? {
        SuffixList().registrableDomain(of: host)
    }
}
