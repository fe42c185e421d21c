// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting

/// The contest's results as a page: a chart, a table and the pictures.
struct ContestReport {
    let results: [SiteResult]
    let network: NetworkProfile

    /// Writes `index.html` and the pictures beside it.
    func write(to directory: String) throws {
        try FileOutput.makeDirectory(directory)
        for result in results {
            for (variant, snapshot) in result.snapshots {
                try FileOutput.write(snapshot.png, to: "\(directory)/\(picture(of: result, variant))")
            }
        }
        try FileOutput.write(page(), to: "\(directory)/index.html")
    }

    private func picture(of result: SiteResult, _ variant: ContestVariant) -> String {
        "\(result.site.identifier)-\(variant.rawValue).png"
    }

    private func page() -> String {
        HTML.page(
            title: "ContainerKit: the open-time contest",
            body: """
                <h1>Pages that open at once</h1>
                <p>\(HTML.escaped(results.first?.engine ?? "")) · slow network: \(HTML.escaped(network.name)), \
                \(Int(network.roundTrip.milliseconds)) ms round trip, \(network.downKilobits ?? 0) kbit/s down · \
                medians where there was more than one round. The container's views are warm before the page is asked \
                for; the plain engine makes its view then. Other hosts than the site's own are kept out of reach in every \
                way: what a site asks of them, such as an example API, is missing in all pictures.</p>
                \(results.map(section).joined())
                <h2>The figures</h2>
                <div class="scroll">\(table)</div>
                <h2>What the words mean</h2>
                <dl>\(terms)</dl>
                """)
    }

    private var table: String {
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(HTML.escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        let rows = ContestTable(results).rows(network: network.name).map { row($0, "td") }.joined()
        return "<table class=\"numbers\">\(row(ContestTable.header, "th"))\(rows)</table>"
    }

    private var terms: String {
        let own = (
            "picture",
            """
            The pictures above show the pages as they were. For the comparison each was taken again with all text \
            hidden that holds the page's own origin, such as the line in which Swagger UI prints the address of its \
            API: the origin differs between the ways by its port or its scheme, and nothing else may differ.
            """
        )
        return (ContestTable.terms + [own]).map { "<dt>\(HTML.escaped($0))</dt><dd>\(HTML.escaped($1))</dd>" }.joined()
    }

    private func section(of result: SiteResult) -> String {
        let figures = ContestVariant.allCases.map { variant in
            let title = variant.title(network: network.name)
            let words = "\(result.site.name), opened in the \(title): the page once it is of use"
            return """
                <figure><img src="\(picture(of: result, variant))" alt="\(HTML.escaped(words))"><figcaption>\
                \(HTML.escaped(title))</figcaption></figure>
                """
        }
        let findings = ContestTable.findings(of: result).map { "<li>\(HTML.escaped($0))</li>" }
        return """
            <h2>\(HTML.escaped(result.site.name))</h2>
            <h3>First contentful paint</h3>\(chart(of: result, "First contentful paint", \.firstContentfulPaintMs))
            <h3>Of use: when <code>\(HTML.escaped(result.site.ready))</code></h3>\
            \(chart(of: result, "Of use", \.readyMs))
            <ul>\(findings.joined())</ul>
            <div class="figures">\(figures.joined())</div>
            """
    }

    private func chart(of result: SiteResult, _ title: String, _ number: KeyPath<RunResult, Double?>) -> String {
        BarChart(
            title: "\(result.site.name): \(title)",
            bars: ContestVariant.allCases.map { variant in
                BarChart.Bar(
                    label: variant.title(network: network.name), value: result.median(variant)[keyPath: number],
                    isEmphasised: variant == .packed || variant == .packedOffline)
            }
        ).svg
    }
}
