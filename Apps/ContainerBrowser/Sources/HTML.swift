// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// The shared markup and style of the report pages.
enum HTML {
    /// Returns the text escaped for element content and quoted attribute values. Characters that are not printable
    /// become U+FFFD, except line feeds.
    static func escaped(_ text: String) -> String {
        text.printableLines().replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    static func page(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title))</title>
        <style>\(style)</style>
        </head>
        <body><main>\(body)</main></body>
        </html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; --ink: #1c2330; --soft: #67718a; --ground: #f6f7fa; --card: #fff;
            --ours: #0b7a75; --theirs: #b8c0d0; --line: #e1e5ee; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e8ebf2; --soft: #98a2b8; --ground: #14181f;
            --card: #1c222c; --ours: #35b5ac; --theirs: #4a5468; --line: #2b3342; } }
        body { margin: 0; background: var(--ground); color: var(--ink);
            font: 15px/1.5 system-ui, -apple-system, "DejaVu Sans", sans-serif; }
        main { max-width: 1080px; margin: 0 auto; padding: 40px 24px; }
        h1 { font-size: 28px; margin: 0 0 4px; } h2 { margin: 44px 0 4px; font-size: 21px; }
        h3 { margin: 20px 0 6px; font-size: 14px; color: var(--soft); font-weight: 600; }
        p { color: var(--soft); margin: 0; }
        pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px;
            overflow-x: auto; font: 12px/1.6 "DejaVu Sans Mono", monospace; }
        svg { max-width: 100%; height: auto; } svg text { font-size: 13px; fill: currentColor; }
        .ours { fill: var(--ours); } .theirs { fill: var(--theirs); }
        .figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 16px;
            margin-top: 16px; }
        figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
            overflow: hidden; } figure img { display: block; width: 100%; }
        figcaption { padding: 8px 12px; font-size: 13px; color: var(--soft); }
        table { border-collapse: collapse; width: 100%; font-size: 13px; } td, th { padding: 4px 8px; text-align: left;
            border-bottom: 1px solid var(--line); } td.url { max-width: 360px; overflow: hidden; white-space: nowrap;
            text-overflow: ellipsis; }
        .waterfall { table-layout: fixed; margin-top: 12px; } .waterfall th:nth-child(n+2) { width: 9%; }
        .waterfall th:last-child { width: 42%; } .waterfall td:last-child { position: relative; }
        .bar { position: absolute; top: 50%; height: 12px; margin-top: -6px; min-width: 4px; border-radius: 2px;
            background: var(--theirs); }
        .bar.package { background: var(--ours); } .bar.failed { background: #c8423b; }
        .scroll { overflow-x: auto; } .numbers td:nth-child(n+3), .numbers th:nth-child(n+3) { text-align: right;
            font-variant-numeric: tabular-nums; white-space: nowrap; }
        ul { margin: 12px 0 0; padding-left: 18px; } dt { font-weight: 600; margin-top: 8px; }
        dd { margin: 0; color: var(--soft); } code { font: 12px "DejaVu Sans Mono", monospace; font-weight: 400; }
        """
}
