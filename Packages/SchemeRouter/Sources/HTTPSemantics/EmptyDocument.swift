// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension HTTPResponse {
    /// A Boolean value that indicates whether the server leaves the document empty on purpose: by status 204 or 205
    /// (RFC 9110, sections 15.3.5 and 15.3.6), for which some engines show an empty document on a custom scheme, or by
    /// a `Refresh` field, which navigates on (HTML, section "Shared declarative refresh steps").
    public var leavesDocumentEmpty: Bool {
        status == .noContent || status == .resetContent || HTTPField.Name.refresh.map(headerFields.contains) ?? false
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")
}
