// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a document is written.
public enum DocumentSyntax: Sendable, Hashable {
    /// `text/html`.
    case html
    /// XHTML and SVG: no element holds raw text, CDATA sections are everywhere.
    case xml
}
