// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// URL schemes (RFC 3986, section 3.1).
public enum URLScheme {
    /// Returns a Boolean value that indicates whether the bytes are a scheme: a letter, then letters, digits, `+`, `-`
    /// and `.`.
    @inlinable
    public static func isValid(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, first.isASCIILetter else { return false }
        return text.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    /// Returns a Boolean value that indicates whether the text is a scheme in lower case.
    @inlinable
    public static func isLowercase(_ text: some StringProtocol) -> Bool {
        isValid(text.utf8) && !text.utf8.contains { $0.isASCIIUppercase }
    }
}
