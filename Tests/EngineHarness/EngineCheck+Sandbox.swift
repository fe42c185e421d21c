// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebKitGTKAdapter

// The sandbox of the engine, read from the status of its web processes.
extension EngineCheck {
    /// Checks the sandbox.
    /// - Parameter system: `able` if the system can run the sandbox, or `unable`.
    @MainActor
    func checkSandbox(on system: String?) async throws {
        let isAble = system == "able"
        if isAble {
            let engine = try WebKitGTKEngine()
            try expect(engine.sandboxFault == nil, "\(String(describing: engine.sandboxFault))")
            try await expectWebProcess(of: engine, isSandboxed: true)
        } else {
            try await expectError(.noSandbox, "a sandbox that is required") { _ = try WebKitGTKEngine() }
            do { _ = try WebKitGTKEngine() } catch { print(error) }
        }
        var configuration = WebKitGTKEngine.Configuration()
        configuration.sandbox = .whenAvailable
        let optional = try WebKitGTKEngine(configuration)
        try expect((optional.sandboxFault == nil) == isAble, "\(String(describing: optional.sandboxFault))")
        try await expectWebProcess(of: optional, isSandboxed: isAble)
        configuration.sandbox = .off
        let bare = try WebKitGTKEngine(configuration)
        try expect(bare.sandboxFault == nil, "\(String(describing: bare.sandboxFault))")
        try await expectWebProcess(of: bare, isSandboxed: false)
    }

    /// Loads a page and compares the namespaces and the seccomp filter of its process with those of this process.
    @MainActor
    private func expectWebProcess(of engine: WebKitGTKEngine, isSandboxed: Bool) async throws {
        let others = Set(try childProcesses(named: "WebKitWebProces"))
        let view = try await page("<p id=text>text", in: engine)
        defer { view.discard() }
        let text = try await view.evaluate("return document.getElementById('text').textContent", in: .page)
        try expect(text == "\"text\"", text)
        let processes = Set(try childProcesses(named: "WebKitWebProces")).subtracting(others)
        guard processes.count == 1, let process = processes.first else {
            throw CheckFailure(description: "web processes: \(processes)")
        }
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let filter = status.split(separator: "\n").first { $0.hasPrefix("Seccomp:") }?.split(separator: "\t").last
        let own = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let ownFilter = own.split(separator: "\n").first { $0.hasPrefix("Seccomp:") }?.split(separator: "\t").last
        try expect(filter == (isSandboxed ? "2" : ownFilter), "filter of system calls: \(filter ?? "none")")
        for space in ["mnt", "pid", "net"] {
            let files = FileManager.default
            let here = try files.destinationOfSymbolicLink(atPath: "/proc/self/ns/\(space)")
            let there = try files.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/\(space)")
            try expect((here != there) == isSandboxed, "\(space): \(here) in the app, \(there) in the page")
        }
        // A compromised web process has no access to the home folder.
        let root = "/proc/\(process)/root"
        let folder = FileManager.default.currentDirectoryPath
        let isSeen = FileManager.default.fileExists(atPath: root + folder)
        try expect(isSeen != isSandboxed, "\(folder) in the page's process: \(isSeen)")
    }
}
