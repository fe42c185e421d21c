// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerViews
import ExampleModel
import Foundation
import SwiftUI
import WKWebViewAdapter

#if canImport(AppKit)
    import AppKit
#endif

typealias Model = ExampleModel<WKWebViewEngine>

/// The example app. It has one container, which opens when the app starts.
@main
struct ExampleApp: App {
    @State private var launch = Launch()

    init() {
        #if canImport(AppKit)
            // Without a bundle, `swift run` starts a program without windows.
            NSApplication.shared.setActivationPolicy(.regular)
        #endif
    }

    var body: some Scene {
        WindowGroup {
            Group {
                if let model = launch.model {
                    ContentView(model: model)
                } else if let failure = launch.failure {
                    ContentUnavailableView(
                        "The container did not open", systemImage: "xmark.octagon", description: Text(failure))
                } else {
                    ProgressView()
                }
            }
            .task { await launch.start() }
        }
    }
}

/// The start of the container, once per process.
@MainActor
@Observable
final class Launch {
    private(set) var model: Model?
    private(set) var failure: String?
    @ObservationIgnored private var observer: HostLifeObserver?
    @ObservationIgnored private var hasStarted = false

    func start() async {
        guard !hasStarted else { return }
        hasStarted = true
        let folder = URL.applicationSupportDirectory.appending(path: "ContainerExample")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let options = try LaunchOptions(arguments: CommandLine.arguments)
            let directory = folder.appending(path: options.folder).path(percentEncoded: false)
            let engine = WKWebViewEngine(
                storage: .standard, allowsHTTPSTakeover: options.mode == .httpsTakeover)
            let model = try await Model(engine: engine, directory: directory, options: options)
            observer = HostLifeObserver(model.container, names: .system) { [log = model.log] error in
                log.add("error of the app's life: \(error)")
            }
            self.model = model
        } catch {
            failure = "\(error)"
        }
    }
}
