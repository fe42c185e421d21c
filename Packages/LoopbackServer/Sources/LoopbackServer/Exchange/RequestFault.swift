// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a request is refused before anybody is asked: what it says could be read in two ways, or not at all, or it is
/// nobody's who is served.
struct RequestFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the answer.
    enum Status: Int, Sendable {
        case badRequest = 400
        /// RFC 9110, section 15.5.4.
        case forbidden = 403
        /// RFC 9110, section 15.5.18.
        case expectationFailed = 417
        /// RFC 9110, section 15.5.20.
        case misdirected = 421
        /// RFC 9112, section 6.1.
        case notImplemented = 501
    }

    let status: Status
    /// What is the matter, for people.
    let description: String
    /// As it is told.
    let refusal: LoopbackRefusal

    init(_ description: String, _ status: Status = .badRequest) {
        self.status = status
        self.description = description
        refusal = .malformed(description)
    }

    /// A request of somebody who is not served.
    init(_ refusal: LoopbackRefusal) {
        status = .forbidden
        description = "\(refusal)"
        self.refusal = refusal
    }
}
