// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One request on its way through a library, whichever that is.
protocol Exchanging: AnyObject, Sendable {
    /// The next bytes of the body, all that have arrived; `nil` at its end. Cancelling gives the request up.
    /// - Throws: `ResourceError`.
    func next() async throws -> Data?

    /// Closes the stream upstream, unless all has arrived.
    func giveUp()
}

extension Exchanging {
    /// Gives a request up whose answer has a status beyond three digits: they come by HTTP/2, and `HTTPTypes` traps on them.
    /// - Throws: `ResourceError` with code `connectionLost`.
    func check(status: Int, at url: String) throws {
        guard !(200...999 ~= status) else { return }
        giveUp()
        throw ResourceError(
            .connectionLost, TransportFailure(.receive, "an answer with status \(status)"), at: url)
    }
}
