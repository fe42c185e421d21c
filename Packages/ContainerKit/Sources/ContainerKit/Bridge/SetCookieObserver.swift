// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Tells whoever asked for one request what its answer says of cookies, which ``CookieStoringLoader`` takes out of it.
struct SetCookieObserver: Sendable {
    /// That of the request that is being answered. An answer that several requests share is told to the first.
    @TaskLocal static var current: SetCookieObserver?

    /// Gets the values of its `Set-Cookie` fields, before the cookies are anywhere.
    let receive: @Sendable ([String]) -> Void
}
