// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// A loader that also says where an answer lies, which the engine is not told.
protocol RedirectFollowing: ResourceLoader {
    /// - Returns: the answer and the request of its last hop, whose URL is where it lies; `nil` where no loader has it.
    nonisolated(nonsending) func follow(_ request: ResourceRequest) async throws -> (
        response: ResourceResponse, place: HTTPRequest
    )?
}
