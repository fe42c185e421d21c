// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension Sequence where Element == Cookie {
    /// The cookies as a request's field `Cookie` has them (RFC 6265bis, section 5.8.3, step 6).
    public var fieldValue: String {
        map { $0.identity.name.isEmpty ? $0.value : "\($0.identity.name)=\($0.value)" }.joined(separator: "; ")
    }
}
