// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension String {
    /// Creates a text from UTF-8.
    /// - Returns: `nil` if the bytes are not valid UTF-8.
    @inlinable
    public init?(validUTF8 bytes: some Collection<UInt8>) {
        if #available(iOS 18, macOS 15, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepairedUTF8: bytes)
        }
    }

    /// Creates a text from UTF-8, without `String(validating:as:)`, which needs iOS 18 and macOS 15.
    @inlinable
    package init?(unrepairedUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces bytes that are not valid by U+FFFD, so that the text has other bytes.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
