// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting

/// The report page of the contest: charts, a table and pictures.
struct ContestReport {
    let results: [SiteResult]
    let network: NetworkProfile

    /// Writes `index.html` and the pictures to a directory.
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
                medians if there was more than one round. The container's views are warm before the page is \
                requested; the plain engine creates its view then. Hosts other than the site's own are unreachable in \
                every variant, so responses from them, such as those of an example API, are missing in all pictures.</p>
                \(results.map(section).joined())
                <h2>The figures</h2>
                <div class="scroll">\(table)</div>
                <h2>Terms</h2>
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
            The pictures above show the unchanged pages. For the comparison, each page was captured again with text \
            hidden that contains the page's own origin, such as the line in which Swagger UI prints the address of its \
            API. The origin differs between the variants by its port or its scheme; everything else must be equal.
            """
        )
        return (ContestTable.terms + [own]).map { "<dt>\(HTML.escaped($0))</dt><dd>\(HTML.escaped($1))</dd>" }.joined()
    }

    private func section(of result: SiteResult) -> String {
        let figures = ContestVariant.allCases.map { variant in
            let title = variant.title(network: network.name)
            let words = "\(result.site.name), opened in the \(title): the usable page"
            return """
                <figure><img src="\(picture(of: result, variant))" alt="\(HTML.escaped(words))"><figcaption>\
                \(HTML.escaped(title))</figcaption></figure>
                """
        }
        let findings = ContestTable.findings(of: result).map { "<li>\(HTML.escaped($0))</li>" }
        return """
            <h2>\(HTML.escaped(result.site.name))</h2>
            <h3>First contentful paint</h3>\(chart(of: result, "First contentful paint", \.firstContentfulPaintMs))
            <h3>Usable: when <code>\(HTML.escaped(result.site.ready))</code></h3>\
            \(chart(of: result, "Usable", \.readyMs))
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
