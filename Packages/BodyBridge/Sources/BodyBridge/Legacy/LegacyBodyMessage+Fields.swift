// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

@_spi(Fuzzing) extension LegacyBodyMessage {
    /// Whether a header of a message is passed over, without a word, as `setRequestHeader` does: a forbidden request-header
    /// (Fetch, section 2.2.2), and the one that is the bridge's own.
    public static func isForbidden(_ name: HTTPField.Name, _ value: String) -> Bool {
        let name = name.canonicalName
        return ForbiddenRequestFields.contains(name, value: value) || name == InjectedScript.field.lowercased()
    }
}
