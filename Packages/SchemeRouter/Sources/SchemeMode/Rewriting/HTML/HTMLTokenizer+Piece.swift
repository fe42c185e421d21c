// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension HTMLTokenizer {
    /// A part of a document, with offsets in the bytes that were passed.
    enum Piece {
        /// The text of the open element, or a part of it.
        case text(Range<Int>)
        /// A complete tag.
        case tag(HTMLTag, Range<Int>)
        /// A tag that is too long to be buffered or is not relevant: a part of it, or the complete tag.
        case longTag(Range<Int>, ending: HTMLTag?)
        /// A comment, document type or similar markup: a part of it, or all.
        case markup(Range<Int>)
    }

    /// The content model of the open element's text (HTML, section "Tokenization").
    enum Content: Equatable {
        case data
        /// Text up to the element's end tag; character references make no difference here.
        case rawText
        case script
        /// After `<!--` in a script.
        case scriptEscaped
        /// After `<script` in escaped script data.
        case scriptDoubleEscaped
        case plainText
        case cdata
    }

    /// The unfinished construct.
    enum Open: Equatable {
        case nothing
        case tag
        case comment
        /// Up to `>`: document types, processing instructions and invalid markup.
        case bogus
        /// Up to `?>`, in XML.
        case instruction
        /// An XML document type, with the depth of open brackets.
        case documentType(depth: Int)
    }
}
