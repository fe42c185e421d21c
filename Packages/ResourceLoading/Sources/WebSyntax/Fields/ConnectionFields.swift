// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Fields that apply to one connection only, which an intermediary removes before it forwards a message (RFC 9110,
/// sections 7.6.1 and 11.7).
public enum ConnectionFields {
    /// The names that are always of one connection, in lower case.
    public static let names: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the names that are of one connection in a message, in lower case.
    /// - Parameter connection: the values of the message's `Connection` fields, whose members are such names too.
    @inlinable
    public static func names(namedBy connection: some Sequence<String>) -> Set<String> {
        var names = names
        for member in FieldList.members(of: connection) { names.insert(member.asciiLowercased) }
        return names
    }
}
