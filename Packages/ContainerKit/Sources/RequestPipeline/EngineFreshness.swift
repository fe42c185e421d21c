// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import HTTPCache
internal import HTTPTypes

extension HTTPResponse {
    /// In seconds.
    private static let longFreshness = 3_600

    /// Has an engine ask again for an answer that is not fresh for an hour at least.
    ///
    /// Measured: WebKit keeps what elements load by a custom scheme in memory, and takes it as fresh for as long as the
    /// page's process lives, whatever it says, unless it says `no-cache` or `no-store`. What scripts ask for themselves, whose header
    /// fields they read, carries an id, and is not kept.
    mutating func limitFreshness() {
        // Files of packages say just this: they are asked for most, and need not be read further.
        guard !headerFields.contains(where: { $0.name == .cacheControl && $0.value == "no-cache" }) else { return }
        let control = CacheControl(headerFields[values: .cacheControl])
        // Of a server's own making: neither negative nor beyond what can be counted.
        let age = headerFields[.age].flatMap { UInt32($0) } ?? 0
        let freshness = (control.maxAge ?? 0) - Int(age)
        guard freshness < Self.longFreshness else { return }
        demandRevalidation()
    }

    /// Has an engine ask again before it takes the answer another time.
    mutating func demandRevalidation() {
        let control = CacheControl(headerFields[values: .cacheControl])
        guard control.noCache != .all, !control.noStore else { return }
        headerFields.append(HTTPField(name: .cacheControl, value: "no-cache"))
    }
}
