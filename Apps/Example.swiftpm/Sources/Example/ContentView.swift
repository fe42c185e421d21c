// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerViews
import ExampleModel
import SwiftUI

/// The tabs of the app: the page, the checks and the events.
struct ContentView: View {
    let model: Model
    @State private var tab = Tab.checks

    enum Tab {
        case page, checks, events
    }

    var body: some View {
        TabView(selection: $tab) {
            PageView(model: model).tabItem { Label("Page", systemImage: "globe") }.tag(Tab.page)
            ChecksView(model: model) { tab = .page }.tabItem { Label("Checks", systemImage: "checklist") }
                .tag(Tab.checks)
            EventsView(model: model).tabItem { Label("Events", systemImage: "list.bullet") }.tag(Tab.events)
        }
    }
}

/// The page with an address field.
private struct PageView: View {
    let model: Model
    @State private var address = "https://checks.example/"

    var body: some View {
        VStack(spacing: 0) {
            HStack {
                TextField("URL", text: $address).autocorrectionDisabled().onSubmit { open() }
                Button("Open") { open() }
                Button("Reload") { Task { await model.pages.reload() } }
                Button("Close") { Task { await model.pages.close() } }
            }
            .padding(8)
            ContainerWebView(model.pages).overlay { status }.overlay(alignment: .top) { dialogs }
            Text(model.pages.title).font(.caption).lineLimit(1).padding(4)
        }
    }

    @ViewBuilder private var status: some View {
        switch model.pages.phase {
        case .closed: Text("No page is open.").foregroundStyle(.secondary)
        case .opening, .arriving: ProgressView()
        case .shown: EmptyView()
        case .failed(let error):
            VStack {
                Text("\(error)").font(.callout)
                Button("Try again") { Task { await model.pages.retry() } }
            }
            .padding().background(.regularMaterial, in: .rect(cornerRadius: 8))
        }
    }

    private var dialogs: some View {
        ForEach(model.delegate.dialogs) { dialog in
            VStack {
                Text(dialog.message)
                HStack {
                    Button("OK") { model.delegate.end(dialog, with: .accept()) }
                    Button("Cancel") { model.delegate.end(dialog, with: .cancel) }
                }
            }
            .padding().background(.regularMaterial, in: .rect(cornerRadius: 8))
        }
    }

    private func open() {
        Task { await model.open(address) }
    }
}

/// The checks with their results. A person records the result of a check that no page decides.
private struct ChecksView: View {
    let model: Model
    let show: () -> Void

    var body: some View {
        List(ManualCheck.all) { check in
            VStack(alignment: .leading) {
                HStack {
                    Circle().fill(color(of: check)).frame(width: 12, height: 12)
                    Text("\(check.id). \(check.title)").font(.headline)
                    Spacer()
                    if check.page != nil {
                        Button("Open") {
                            show()
                            Task { await model.open(check) }
                        }
                    }
                }
                if let action = check.action {
                    Text(action)
                    HStack {
                        Button("Passed") { model.board.record(check.id, .pass, "by hand") }
                        Button("Failed") { model.board.record(check.id, .fail, "by hand") }
                    }
                }
                if let result = model.board.results[check.id], !result.detail.isEmpty {
                    Text(result.detail).font(.caption).foregroundStyle(.secondary)
                }
            }
            .buttonStyle(.bordered)
        }
    }

    private func color(of check: ManualCheck) -> Color {
        switch model.board.results[check.id]?.state {
        case .pass: .green
        case .fail: .red
        case .needs: .orange
        case nil: .gray
        }
    }
}

/// The events of the container, newest first.
private struct EventsView: View {
    let model: Model

    var body: some View {
        VStack(spacing: 0) {
            Button("Log cookies") { Task { await model.logCookies() } }.padding(8)
            List(model.log.lines) { line in
                Text(line.text).font(.caption.monospaced()).textSelection(.enabled)
            }
        }
    }
}
