// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Which attributes are rewritten, and as what: the one table.
///
/// What only names something stays, since scripts read it and nothing is loaded from it: `cite`, `<link rel=canonical>`,
/// `<meta property=og:image>`, `itemid`, `longdesc`. `ping` stays too: engines ping over http and https alone, so that a
/// name would silence it. Of elements that HTML does not know, `src` and `href` are the page's own data.
enum RewrittenAttribute {
    /// What a value is.
    enum Value: Hashable {
        /// One URL, of something that is loaded.
        case load
        /// One URL, where the page or a frame goes.
        case navigation
        /// A list of pictures with their sizes (`srcset`).
        case sourceSet
        /// Declarations of CSS.
        case style
        /// A document in itself (`srcdoc`).
        case document
        /// One URL, of what the element's `rel` says.
        case link
        /// What the element's `http-equiv` says.
        case pragma
    }

    /// What an attribute of an element is; `nil` where it stays as it is.
    static func value(of attribute: ShortName, on element: ShortName) -> Value? {
        guard let row = table[attribute] else { return nil }
        return row.everywhere ?? row.elements[element]
    }

    fileprivate struct Row {
        var everywhere: Value?
        var elements: [ShortName: Value] = [:]

        static func on(_ value: Value, _ elements: ShortName...) -> Row {
            Row(elements: Dictionary(elements.map { ($0, value) }, uniquingKeysWith: { first, _ in first }))
        }

        func and(_ value: Value, _ elements: ShortName...) -> Row {
            var row = self
            for element in elements { row.elements[element] = value }
            return row
        }
    }

    private static let table: [ShortName: Row] = [
        // Loads. `<image>` is what the parser makes `<img>` of; frames are loaded into the page, and go where they are told.
        "src": .on(
            .load, "img", "image", "script", "audio", "video", "source", "track", "input", "embed", "bgsound",
            "iframe", "frame"),
        "srcset": .on(.sourceSet, "img", "image", "source"),
        "imagesrcset": .on(.sourceSet, "link"),
        "poster": .on(.load, "video"),
        "data": .on(.load, "object"),
        "srcdoc": .on(.document, "iframe"),
        // Old pictures behind a page and its tables.
        "background": .on(.load, "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"),
        // An application cache's list: engines have dropped it, and where one has not, it loads.
        "manifest": .on(.load, "html"),
        // Goes somewhere, or says what relative URLs start from. In SVG it loads what is shown.
        "href": .on(.navigation, "a", "area").and(.link, "link").and(.load, "base").and(.load, svg),
        "xlink:href": .on(.navigation, "a").and(.load, svg),
        "action": .on(.navigation, "form"),
        "formaction": .on(.navigation, "button", "input"),
        // `refresh` goes somewhere, a policy says what may be loaded.
        "content": .on(.pragma, "meta"),
        // CSS loads pictures and fonts; so do the attributes of SVG that stand for its properties.
        "style": Row(everywhere: .style), "fill": Row(everywhere: .style), "stroke": Row(everywhere: .style),
        "filter": Row(everywhere: .style), "mask": Row(everywhere: .style), "clip-path": Row(everywhere: .style),
        "marker-start": Row(everywhere: .style), "marker-mid": Row(everywhere: .style),
        "marker-end": Row(everywhere: .style), "cursor": Row(everywhere: .style),
    ]

    private static let svg: [ShortName] = [
        "image", "use", "script", "feimage", "lineargradient", "radialgradient", "pattern", "filter", "mpath",
        "textpath", "animate", "set", "animatemotion", "cursor", "tref",
    ]

    /// What a `<link>` loads, by its `rel`. A connection that is opened early to a covered host would be for nobody.
    static func loads(_ rel: some Sequence<UInt8>) -> Bool {
        rel.split { $0.isASCIIWhitespace }.contains { word in
            loading.contains(String(decoding: word.map(\.asciiLowercased), as: UTF8.self))
        }
    }

    private static let loading: Set = [
        "stylesheet", "preload", "modulepreload", "prefetch", "prerender", "preconnect", "dns-prefetch", "icon",
        "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon", "manifest",
        "import", "compression-dictionary", "expect",
    ]
}

extension RewrittenAttribute.Row {
    fileprivate func and(_ value: RewrittenAttribute.Value, _ elements: [ShortName]) -> Self {
        var row = self
        for element in elements { row.elements[element] = value }
        return row
    }
}

/// `srcset` (HTML, section "Parsing a srcset attribute"): URLs with descriptors, between commas.
enum SourceSet {
    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        var edits: [ByteEdit] = []
        var index = 0
        while index < bytes.count {
            if bytes[index].isASCIIWhitespace || bytes[index] == UInt8(ascii: ",") {
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, !bytes[index].isASCIIWhitespace { index += 1 }
            var end = index
            while bytes[end - 1] == UInt8(ascii: ",") { end -= 1 }
            edits += URLReference.edits(of: bytes[start..<end], as: .load, in: context).map { $0.moved(by: start) }
            if end == index { skipDescriptors(bytes, &index) }
        }
        return edits
    }

    private static func skipDescriptors(_ bytes: [UInt8], _ index: inout Int) {
        var isInParentheses = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "("): isInParentheses = true
            case UInt8(ascii: ")"): isInParentheses = false
            case UInt8(ascii: ",") where !isInParentheses: return
            default: break
            }
        }
    }
}
