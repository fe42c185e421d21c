// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Who wants to know what the answer to one request says of cookies, from above those that take it out.
struct SetCookieNote: Sendable {
    /// That of the request that is being answered. An answer that several requests share is told to the first.
    @TaskLocal static var current: SetCookieNote?

    /// Gets the values of its `Set-Cookie` fields, before the cookies are anywhere.
    let hear: @Sendable ([String]) -> Void
}
