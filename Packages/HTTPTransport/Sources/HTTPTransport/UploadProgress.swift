// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much of a request's body has been sent.
public struct UploadProgress: Sendable, Hashable {
    /// Bytes so far.
    public var sent: Int64
    /// All bytes; `nil` where nobody knows.
    public var total: Int64?

    public init(sent: Int64, total: Int64? = nil) {
        self.sent = sent
        self.total = total
    }
}
