// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension AddressTunnel {
    /// What a CONNECT asks for.
    struct Target: Sendable, Hashable {
        /// In lower case, without brackets.
        let host: String
        /// 1 to 65535.
        let port: Int

        init(host: String, port: Int) {
            self.host = host.filter { $0 != "[" && $0 != "]" }.lowercased()
            self.port = port
        }

        /// Reads `host:port`, also where an IPv6 address has no brackets.
        init?(_ text: Substring) {
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
                colon > text.startIndex
            else { return nil }
            self.init(host: String(text[..<colon]), port: Int(port))
        }
    }
}
