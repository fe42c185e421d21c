// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The page that is shown in place of a white one.
///
/// It is a document of no origin: it has no script and loads nothing, and all that it says is escaped.
struct ErrorPage {
    /// The element that is pressed to try again.
    static let retryID = "containerkit-retry"
    let html: String

    /// - Parameter place: where the page lies in the engine; what the link leads to where nobody hears of it.
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

    /// As text, and as a value between double quotes.
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
