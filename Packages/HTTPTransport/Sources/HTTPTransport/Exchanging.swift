// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import ResourceLoading

/// One request on its way through a library, whichever that is.
protocol Exchanging: AnyObject, Sendable {
    /// The next bytes of the body, all that have arrived; `nil` at its end. Cancelling gives the request up.
    /// - Throws: `ResourceError`.
    func next() async throws -> Data?

    /// Closes the stream upstream, unless all has arrived.
    func giveUp()
}

extension Exchanging {
    /// Gives up a request whose response head is not a final one that HTTP allows.
    ///
    /// URLSession passes informational heads on as responses, and `HTTPTypes` ends the process on a status above 999.
    /// - Throws: `ResourceError` with code `connectionLost`.
    func check(status: Int, at url: String) throws {
        var heads = ResponseHeadState()
        do {
            guard try heads.receive(status: status) == .informational else { return }
            giveUp()
            throw ResourceError(
                .connectionLost, TransportFailure(.receive, "an informational response without a final one"), at: url)
        } catch let error as ResponseHeadState.Violation {
            giveUp()
            throw ResourceError(
                .connectionLost,
                TransportFailure(
                    .receive, "the response breaks the rules of HTTP: \(error)", underlying: error), at: url)
        }
    }
}
