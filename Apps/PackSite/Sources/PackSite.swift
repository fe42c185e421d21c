// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import SystemSupport

/// The program `pack-site`, which packs a site for the bundle of an app.
///
/// It has no dependencies outside this repository, because each app that calls the plugin builds it.
@main
struct PackSite {
    static func main() {
        do {
            let result = try Arguments(CommandLine.arguments.dropFirst()).pack()
            for file in result.skipped { report("skipped: \(file.path) (\(file.reason.rawValue))") }
            for warning in result.warnings { report("warning: \(warning.path): \(warning.problem)") }
            report("\(result.archive): \(result.files) files, \(result.archiveBytes) bytes", to: .standardOutput)
        } catch let error as Usage {
            report("error: usage: \(error.problem)\n\(Usage.text)")
            exit(64)
        } catch let error as any CodedError {
            report("error: \(error.codeName): \(error.message)\(error.location.map { " (\($0))" } ?? "")")
            exit(65)
        } catch {
            report("error: \(error)")
            exit(70)
        }
    }

    private static func report(_ text: String, to file: FileHandle = .standardError) {
        // A closed pipe is no reason to fail.
        try? file.write(contentsOf: Data((text.printableLines() + "\n").utf8))
    }
}

/// A wrong argument.
struct Usage: Error {
    static let text = """
        pack-site SITE --id ID --version VERSION --base-url URL --out DIR [--complete] [--exclude PATTERN]...
        Packs the files of the folder SITE into DIR/ID.zip, and its manifest into DIR/ID.json. The options mean the
        same as for `h5 pack`, which has more.
        """

    let problem: String
}

/// The arguments of the program.
struct Arguments {
    var site: String
    var id: PackageID
    var version: PackageVersion
    var baseURL: PackageBaseURL
    var output: String
    var isComplete = false
    var exclusions: [SiteGlob] = []

    /// Parses arguments.
    /// - Throws: ``Usage``; `PackageError` if a value is not valid.
    init(_ arguments: some Sequence<String>) throws {
        var values: [String: String] = [:]
        var sites: [String] = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--complete": isComplete = true
            case "--id", "--version", "--base-url", "--out", "--exclude":
                guard let value = rest.popFirst() else { throw Usage(problem: "\(argument) needs a value") }
                if argument == "--exclude" {
                    exclusions.append(try SiteGlob(value))
                } else if values.updateValue(value, forKey: argument) != nil {
                    throw Usage(problem: "\(argument) is given twice")
                }
            case _ where argument.hasPrefix("-"): throw Usage(problem: "unknown option \(argument)")
            default: sites.append(argument)
            }
        }
        func value(_ option: String) throws -> String {
            guard let value = values[option] else { throw Usage(problem: "\(option) is missing") }
            return value
        }
        guard sites.count == 1 else { throw Usage(problem: "one folder is needed") }
        site = sites[0]
        id = try PackageID(value("--id"))
        version = try PackageVersion(value("--version"))
        let url = try value("--base-url")
        baseURL = try PackageBaseURL(url.utf8.last == UInt8(ascii: "/") ? url : url + "/")
        output = try value("--out")
    }

    /// Packs the site.
    /// - Throws: `PackageError`.
    func pack() throws -> PackageBuilder.Result {
        try PackageBuilder(exclusions: exclusions).build(
            site, id: id, version: version, baseURL: baseURL, isComplete: isComplete, output: output, name: id)
    }
}
