// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension HTMLTokenizer {
    /// A part of a document; offsets are those of the bytes that were given.
    enum Piece {
        /// Text of the element that is open, or a part of it.
        case text(Range<Int>)
        /// A whole tag.
        case tag(HTMLTag, Range<Int>)
        /// A tag that is too long to be kept, or one that nothing is to be done about. A part of it, or all.
        case longTag(Range<Int>, ending: HTMLTag?)
        /// Comments, document types and the like; a part of one, or all.
        case markup(Range<Int>)
    }

    /// What the text of the element that is open may hold (HTML, section "Tokenization").
    enum Content: Equatable {
        case data
        /// Until its own end tag; with character references or without, which makes no difference here.
        case rawText
        case script
        /// After `<!--` in a script.
        case scriptEscaped
        /// After `<script` in that.
        case scriptDoubleEscaped
        case plainText
        case cdata
    }

    /// What is begun and not over.
    enum Open: Equatable {
        case nothing
        case tag
        case comment
        /// Until `>`: document types, processing instructions, and what is not understood.
        case bogus
        /// Until `?>`, in XML.
        case instruction
        /// A document type of XML, in so many brackets.
        case documentType(depth: Int)
    }
}
