// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A certificate of X.509, as it goes over the wire.
public struct EngineCertificate: Sendable, Hashable {
    /// The bytes in DER. They are not checked here: an engine does that, where it is told to trust them.
    public let der: [UInt8]

    /// Takes the bytes of one certificate over.
    public init(der: [UInt8]) {
        self.der = der
    }
}
