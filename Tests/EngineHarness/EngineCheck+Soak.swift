// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

// A soak test: two hours of an app's use in a few minutes.
extension EngineCheck {
    /// Opens pages at full speed: single pages, pairs, and pages that close early, are released or are killed. Updates,
    /// memory warnings, suspensions and sign-outs happen in between. Afterwards, no view and no container remains.
    /// - Parameter arguments: The mode, and the number of opens. 600 opens correspond to two hours with an open every
    ///   12 seconds.
    @MainActor
    func checkSoak(_ arguments: ArraySlice<String>, in folder: String) async throws {
        let arguments = Array(arguments)
        guard arguments.count == 2, let mode = InterceptionMode(rawValue: arguments[0]), let opens = Int(arguments[1])
        else { throw CheckFailure(description: "specify a mode and a number of opens") }
        let engine = try WebKitGTKEngine()
        var soak: Soak? = try await Soak(self, engine, mode, SoakSite(folder: folder))
        try await soak?.run(opens)
        try await soak?.end()
        let views = soak?.views ?? []
        weak var container: Container<WebKitGTKEngine>?
        container = soak?.container
        soak = nil
        try expect(container == nil, "something still holds the container")
        try expect(
            views.allSatisfy { $0.view == nil }, "\(views.count { $0.view != nil }) of \(views.count) views leak")
    }
}
