// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch
internal import Foundation
internal import HTTPTransport
internal import NIOTransport
internal import OfflinePackage
internal import PackageFormat
internal import ResourceStore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A stand-in for an app. It installs one update after another and sweeps after each update. It can kill itself at a
/// given time.
///
///     delivery-harness STORE (MICROSECONDS | -) (MANIFEST-URL#SCOPE | FOLDER/NAME)...
///
/// A URL is a manifest to update from, with its scope. A path names a package that is included in the app: `NAME.zip`
/// and `NAME.json` in a folder. The process kills itself with SIGKILL after the given number of microseconds. If the
/// process ends before that time, it prints its duration in microseconds.
@main
enum DeliveryHarness {
    static func main() async {
        let began = ContinuousClock.now
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else { exit(64) }
        if let microseconds = Int(arguments[2]) {
            DispatchQueue(label: "end").asyncAfter(deadline: .now() + .microseconds(microseconds)) {
                kill(getpid(), SIGKILL)
            }
        }
        do {
            try await update(arguments[1], from: arguments[3...])
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        print(Int(began.duration(to: .now) / .microseconds(1)))
    }

    private static func update(_ directory: String, from places: some Sequence<String>) async throws {
        let library = try PackageLibrary(store: BlobStore(directory: directory))
        var configuration = PackageUpdater.Configuration()
        // Unfinished boots never fail a version here, because the kills would otherwise put every version in
        // quarantine.
        configuration.trial.unfinishedBoots = .max
        let transport = AsyncHTTPTransport()
        let updater = PackageUpdater(
            library: library, loader: NetworkLoader(transport), configuration: configuration)
        try await updater.start()
        for place in places {
            if place.hasPrefix("/") {
                try await updater.install(archive: place + ".zip", manifest: place + ".json")
            } else {
                let parts = place.split(separator: "#", maxSplits: 1).map(String.init)
                let scope = try parts.dropFirst().first.map { try PackageBaseURL($0) }
                try await updater.update(from: PackageSource(parts[0], scope: scope))
            }
            try await library.sweep()
        }
        try await transport.shutDown()
    }
}
