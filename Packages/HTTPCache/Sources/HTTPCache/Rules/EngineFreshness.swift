// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension HTTPResponse {
    /// The minimum freshness lifetime of responses that are not changed, in seconds.
    private static let longFreshness = 3_600

    /// Makes the engine revalidate a response with a freshness lifetime of less than one hour.
    ///
    /// Measured: WebKit stores responses to elements of custom-scheme pages in memory. Unless a response has `no-cache`
    /// or `no-store`, WebKit reuses it for the lifetime of the web process. WebKit does not reuse responses to requests
    /// of scripts, because these requests have an identifier. These responses are not changed.
    @_spi(Facade) public mutating func limitFreshness() {
        // Package files have exactly this field. They are the most frequent responses, so the check avoids parsing.
        guard !headerFields.contains(where: { $0.name == .cacheControl && $0.value == "no-cache" }) else { return }
        let control = CacheControl(headerFields[values: .cacheControl])
        // The server sets `Age`, so negative and overflowing values are ignored.
        let age = headerFields[.age].flatMap { UInt32($0) } ?? 0
        let freshness = (control.maxAge ?? 0) - Int(age)
        guard freshness < Self.longFreshness else { return }
        demandRevalidation()
    }

    /// Makes the engine revalidate the response before it uses the response again.
    @_spi(Facade) public mutating func demandRevalidation() {
        let control = CacheControl(headerFields[values: .cacheControl])
        guard control.noCache != .all, !control.noStore else { return }
        headerFields.append(HTTPField(name: .cacheControl, value: "no-cache"))
    }
}
