// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import PackageFormat
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import OfflinePackage
@testable import PageInterface

/// The interface of a page with a fake view, fake packages, and a clock that the test advances.
@MainActor
struct InterfaceStage {
    let pages = FakeInterfaceHost()
    let conditions = ChangingConditions(HostConditions())
    let clock = ManualClock()
    let controller: PageInterfaceController
    let view = FakeView(id: ViewID(rawValue: 1))

    init(_ options: PageInterfaceOptions = PageInterfaceOptions()) throws {
        controller = PageInterfaceController(options, conditions: conditions, clock: clock)
        controller.host = pages
        try pages.pin("shop", "1", number: 1)
        try open()
    }

    /// Opens the page of the view.
    func open() throws {
        let session = PageSession(
            id: pages.page, documentURL: pages.document, view: view.id, mode: .loopbackProxy, generations: [])
        try controller.begin(session, in: view, at: PageInterfacePlaces(origins: ["https://shop.example"]))
    }

    /// The token in the last script of the view.
    var token: String {
        get throws {
            let source = try #require(view.scripts.last?.source)
            let start = try #require(source.range(of: #""token":""#)?.upperBound)
            return String(source[start...].prefix { $0 != "\"" })
        }
    }

    /// Sends a message as the script does.
    func call(_ kind: String, _ text: String = "", of document: String = "7") async throws -> String {
        try await send("\(token) \(document) \(kind) \(text)")
    }

    /// Sends a text to the message handler.
    func send(_ text: String, from place: String? = nil) async throws -> String {
        let json = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        return try await send(json: json, from: place)
    }

    func send(json: String, from place: String? = nil) async throws -> String {
        let handler = try #require(view.handlers[PageInterfaceScript.handler])
        return try await handler(ScriptMessage(json: json, documentURL: place ?? pages.document))
    }
}

/// One page, its packages, and a record of the calls.
@MainActor
final class FakeInterfaceHost: PageInterfaceHost {
    let page = PageID(rawValue: 1)
    let document = "https://shop.example/index.html"
    var isOpen = true
    /// The URLs in the engine that are not covered.
    var uncovered: Set<String> = []
    private var pinned: [InstalledPackage] = []
    /// The numbers of the generations that the page must not use.
    var avoided: Set<Int64> = []
    private var active: [PackageID: InstalledPackage] = [:]
    private(set) var calls: [String] = []
    private(set) var events: [PageInterfaceEvent] = []
    /// A closure that is awaited before the page adopts active versions.
    var onAdopt: @MainActor () async -> Void = {}

    static func package(
        _ id: String, _ version: String, number: Int64, base: String = "https://shop.example/"
    ) throws -> InstalledPackage {
        InstalledPackage(
            id: try PackageID(id), version: try PackageVersion(version), baseURL: try PackageBaseURL(base),
            isComplete: false, generation: GenerationReference(package: id, number: number))
    }

    /// Pins the page to a version, which is active.
    func pin(_ id: String, _ version: String, number: Int64, base: String = "https://shop.example/") throws {
        let package = try Self.package(id, version, number: number, base: base)
        pinned.removeAll { $0.id == package.id }
        pinned.append(package)
        active[package.id] = package
    }

    /// Activates a version that the page is not pinned to.
    func activate(_ id: String, _ version: String, number: Int64) throws {
        let package = try Self.package(id, version, number: number)
        active[package.id] = package
    }

    func reference(of page: PageID) -> PageReference? {
        isOpen ? PageReference(id: page, documentURL: document, generations: pinned.map(\.generation)) : nil
    }

    func isCovered(_ place: String) -> Bool { !uncovered.contains(place) }

    func packages(of page: PageID) -> [InstalledPackage] {
        pinned.filter { document.hasPrefix($0.baseURL.description) }
    }

    func activePackage(_ id: PackageID) -> InstalledPackage? { active[id] }

    func canAdopt(_ package: InstalledPackage, for page: PageID) -> Bool {
        !avoided.contains(package.generation.number)
    }

    func report(_ kind: BootReport.Kind, of page: PageReference) {
        let name =
            switch kind {
            case .healthy: "healthy"
            case .failed(let reason): "failed \(reason)"
            default: "other"
            }
        calls.append("\(name) \(page.generations.map(\.number))")
    }

    func adoptActiveVersions(of page: PageID) async -> Bool {
        await onAdopt()
        let changed = pinned.map { active[$0.id] ?? $0 }
        defer { pinned = changed }
        return changed != pinned
    }

    func page(_ page: PageID, did event: PageInterfaceEvent) { events.append(event) }
}
