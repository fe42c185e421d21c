// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The error page that replaces a blank page.
///
/// It is a document with an opaque origin. It has no script, loads no resources, and escapes all of its texts.
struct ErrorPage {
    /// The `id` of the link that reloads the page.
    static let retryID = "containerkit-retry"
    let html: String

    /// Creates the page.
    /// - Parameters:
    ///   - text: the texts.
    ///   - place: the URL of the page in the engine; the target of the link if no script handles the click.
    init(_ text: ErrorPageText, for place: String) {
        html = """
            <!doctype html>
            <html lang="\(Self.escaped(text.language))">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>\(Self.escaped(text.title))</title>
            <style>
            :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
            main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
            h1 { font-size: 1.25rem }
            </style>
            </head>
            <body>
            <main>
            <h1>\(Self.escaped(text.title))</h1>
            <p>\(Self.escaped(text.message))</p>
            <p><a id="\(Self.retryID)" href="\(Self.escaped(place))">\(Self.escaped(text.retry))</a></p>
            </main>
            </body>
            </html>
            """
    }

    /// Returns text escaped for use in HTML text and in a double-quoted attribute value.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
