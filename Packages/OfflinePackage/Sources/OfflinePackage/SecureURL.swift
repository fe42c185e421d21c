// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// The rule that nobody between a server and the device may change a package.
enum SecureURL {
    /// Checks that a URL is of `https`, or of this machine: 127.0.0.0/8, `[::1]`, `localhost` and names below it
    /// (Secure Contexts, section 3.1).
    /// - Throws: ``DeliveryError`` with code ``DeliveryError/Code-swift.struct/insecure``, or
    ///   ``DeliveryError/Code-swift.struct/badURL`` for what is no URL.
    static func check(_ url: String) throws(DeliveryError) {
        guard let origin = WebOrigin(url: url) else {
            throw DeliveryError(.badURL, "not an absolute http or https URL", at: url)
        }
        guard origin.isPotentiallyTrustworthy else {
            throw DeliveryError(.insecure, "neither https nor of this machine", at: url)
        }
    }
}
