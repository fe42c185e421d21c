// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
@_spi(Facade) internal import ResourceLoading

/// One request in progress, independent of the HTTP library.
package protocol Exchanging: AnyObject, Sendable {
    /// Waits for bytes of the body. Cancelling the calling task cancels the request.
    /// - Returns: The bytes that have arrived, or `nil` at the end of the body.
    /// - Throws: `ResourceError`.
    func next() async throws -> Data?

    /// Cancels the request, unless the response is complete.
    func cancel()
}

extension Exchanging {
    /// Cancels a request whose response head is not a valid final head.
    ///
    /// URLSession delivers informational heads as responses, and `HTTPTypes` terminates the process on a status above
    /// 999.
    /// - Throws: `ResourceError` with code `connectionLost`.
    package func check(status: Int, at url: String) throws {
        var heads = ResponseHeadState()
        do {
            guard try heads.receive(status: status) == .informational else { return }
            cancel()
            throw ResourceError(
                .connectionLost, TransportFailure(.receive, "an informational response without a final response"),
                at: url)
        } catch let error as ResponseHeadState.Violation {
            cancel()
            throw ResourceError(
                .connectionLost,
                TransportFailure(
                    .receive, "the response violates HTTP: \(error)", underlying: error), at: url)
        }
    }
}
