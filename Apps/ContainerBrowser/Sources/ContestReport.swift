// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation

/// The contest's results as a page: a chart, a table and the pictures.
struct ContestReport {
    let results: [SiteResult]
    let network: NetworkProfile

    /// Writes `index.html` and the pictures beside it.
    func write(to directory: String) throws {
        try FileOutput.makeDirectory(directory)
        for result in results {
            for (way, snapshot) in result.snapshots {
                try FileOutput.write(snapshot.png, to: "\(directory)/\(picture(of: result, way))")
            }
        }
        try FileOutput.write(page(), to: "\(directory)/index.html")
    }

    private func picture(of result: SiteResult, _ way: ContestWay) -> String {
        "\(result.site.identifier)-\(way.rawValue).png"
    }

    private func page() -> String {
        let table = ContestTable(results).text(network: network.name)
        let sections = results.map(section).joined()
        return HTML.page(
            title: "ContainerKit: the open-time contest",
            body: """
                <h1>Pages that open at once</h1>
                <p>\(HTML.escaped(results.first?.engine ?? "")) · slow network: \(HTML.escaped(network.name)), \
                \(Int(network.roundTrip.milliseconds)) ms round trip, \(network.downKilobits ?? 0) kbit/s down</p>
                \(sections)
                <h2>The figures</h2><pre>\(HTML.escaped(table))</pre>
                """)
    }

    private func section(of result: SiteResult) -> String {
        let figures = ContestWay.allCases.map { way in
            """
            <figure><img src="\(picture(of: result, way))" alt=""><figcaption>\
            \(HTML.escaped(way.title(network: network.name)))</figcaption></figure>
            """
        }
        return """
            <h2>\(HTML.escaped(result.site.name))</h2>
            <h3>First contentful paint</h3>\(chart(of: result, \.firstContentfulPaintMs))
            <h3>Of use</h3>\(chart(of: result, \.readyMs))
            <div class="figures">\(figures.joined())</div>
            """
    }

    private func chart(of result: SiteResult, _ number: KeyPath<RunResult, Double?>) -> String {
        BarChart(
            bars: ContestWay.allCases.map { way in
                BarChart.Bar(
                    label: way.title(network: network.name), value: result.median(way)[keyPath: number],
                    isEmphasised: way == .packed || way == .packedOffline)
            }
        ).svg
    }
}
