// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The table of rewritten attributes and the syntax of their values.
///
/// Attributes that are only identifiers are not rewritten, because scripts read them and nothing is loaded: `cite`,
/// `<link rel=canonical>`, `<meta property=og:image>`, `itemid`, `longdesc`. `ping` is not rewritten, because engines
/// send pings only over http and https. `src` and `href` of elements that HTML does not define are data of the page.
enum RewrittenAttribute {
    /// The syntax of a value.
    enum Value: Hashable {
        /// The URL of a resource.
        case load
        /// The URL of a resource that document mode leaves to the engine: a nested document, media, which the engine
        /// does not load from a custom scheme, an SVG element, which must have the document's origin, or the base of
        /// other URLs.
        case native
        /// The URL of a navigation of the page or a frame.
        case navigation
        /// A list of images with their sizes (`srcset`).
        case sourceSet
        /// CSS declarations.
        case style
        /// A complete document (`srcdoc`).
        case document
        /// A URL whose use depends on `rel`.
        case link
        /// A value whose syntax depends on `http-equiv`.
        case pragma
    }

    /// Returns the syntax of an element's attribute; `nil` if it is not rewritten.
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

        func and(_ value: Value, _ elements: [ShortName]) -> Row {
            var row = self
            for element in elements { row.elements[element] = value }
            return row
        }
    }

    private static let table: [ShortName: Row] = [
        // Resources. The parser converts `<image>` into `<img>`. Frames are loaded into the page and navigate
        // afterwards.
        "src": .on(
            .load, "img", "image", "script", "input"
        ).and(.native, ["audio", "video", "source", "track", "bgsound", "embed", "iframe", "frame"]),
        "srcset": .on(.sourceSet, "img", "image", "source"),
        "imagesrcset": .on(.sourceSet, "link"),
        "poster": .on(.native, "video"),
        "data": .on(.native, "object"),
        "srcdoc": .on(.document, "iframe"),
        // Obsolete background images of a page and its tables.
        "background": .on(.load, "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"),
        // The list of an application cache, which engines have removed. An engine that supports it loads the list.
        "manifest": .on(.native, "html"),
        // Navigations and the base URL. In SVG, the attribute loads a resource.
        "href": .on(.navigation, "a", "area").and(.link, ["link"]).and(.native, ["base"])
            .and(.load, svgResources).and(.native, svgElements),
        "xlink:href": .on(.navigation, "a").and(.load, svgResources).and(.native, svgElements),
        "action": .on(.navigation, "form"),
        "formaction": .on(.navigation, "button", "input"),
        // `refresh` navigates; a policy restricts resources.
        "content": .on(.pragma, "meta"),
        // CSS loads images and fonts, also in SVG presentation attributes.
        "style": Row(everywhere: .style), "fill": Row(everywhere: .style), "stroke": Row(everywhere: .style),
        "filter": Row(everywhere: .style), "mask": Row(everywhere: .style), "clip-path": Row(everywhere: .style),
        "marker-start": Row(everywhere: .style), "marker-mid": Row(everywhere: .style),
        "marker-end": Row(everywhere: .style), "cursor": Row(everywhere: .style),
    ]

    private static let svgResources: [ShortName] = ["image", "script", "feimage"]
    /// The elements whose attribute refers to another SVG element.
    private static let svgElements: [ShortName] = [
        "use", "lineargradient", "radialgradient", "pattern", "filter", "mpath", "textpath", "animate", "set",
        "animatemotion", "cursor", "tref",
    ]

    /// Returns a Boolean value that indicates whether a `<link>` with this `rel` loads a resource or opens a connection
    /// early. A connection to a covered host would not be used, so `preconnect` and `dns-prefetch` are included.
    static func loads(_ rel: some Sequence<UInt8>) -> Bool {
        rel.split { $0.isASCIIWhitespace }.contains { word in
            loading.contains(String(decoding: word.map(\.asciiLowercased), as: UTF8.self))
        }
    }

    /// Returns a Boolean value that indicates whether a `<link>` with this `rel` loads a resource that document mode
    /// takes from the container. Connections, documents and manifests are left to the engine.
    static func loadsHeld(_ rel: some Sequence<UInt8>) -> Bool {
        let words = Set(
            rel.split { $0.isASCIIWhitespace }.map { String(decoding: $0.map(\.asciiLowercased), as: UTF8.self) })
        return !words.isDisjoint(with: loading) && words.isDisjoint(with: native)
    }

    private static let native: Set = ["preconnect", "dns-prefetch", "prerender", "manifest", "expect"]
    private static let loading: Set = [
        "stylesheet", "preload", "modulepreload", "prefetch", "prerender", "preconnect", "dns-prefetch", "icon",
        "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon", "manifest",
        "import", "compression-dictionary", "expect",
    ]
}

/// The parser of `srcset` (HTML, section "Parsing a srcset attribute"): URLs with descriptors, separated by commas.
enum SourceSet {
    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        urls(in: bytes).flatMap { range in
            URLReference.edits(of: bytes[range], as: .load, in: context).map { $0.moved(by: range.lowerBound) }
        }
    }

    /// Returns the ranges of the URLs.
    static func urls(in bytes: [UInt8]) -> [Range<Int>] {
        var urls: [Range<Int>] = []
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
            urls.append(start..<end)
            if end == index { skipDescriptors(bytes, &index) }
        }
        return urls
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
