// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol where SubSequence == Substring {
    /// The text without optional whitespace (RFC 9110, section 5.6.3) at both ends.
    @inlinable
    public var trimmingFieldWhitespace: Substring {
        let bytes = self[...].utf8
        guard let start = bytes.firstIndex(where: { !$0.isFieldWhitespace }),
            let end = bytes.lastIndex(where: { !$0.isFieldWhitespace })
        else { return "" }
        return Substring(bytes[start...end])
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without optional whitespace (RFC 9110, section 5.6.3) at both ends.
    @inlinable
    public var trimmingFieldWhitespace: SubSequence {
        guard let start = firstIndex(where: { !$0.isFieldWhitespace }),
            let end = lastIndex(where: { !$0.isFieldWhitespace })
        else { return self[endIndex...] }
        return self[start...end]
    }
}
