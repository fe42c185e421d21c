// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation

@testable import ResourceTable

/// A builder of server responses.
struct TableMaker {
    struct Item {
        var path: String
        var version = "1"
        var content: String
        var download: String?

        var url: String { "https://cdn.example.com/\(path)" }
        var key: String { download ?? "https://cdn.example.com/xcache/\(version)/\(path)" }
        var bytes: Data { Data(content.utf8) }
    }

    var version = "1"
    var items: [Item] = []

    init(_ version: String, _ items: [Item]) {
        self.version = version
        self.items = items
    }

    /// Creates a table with the entries `e0.js` to `eN.js`.
    init(_ version: String, count: Int) {
        self.init(version, (0..<count).map { Item(path: "e\($0).js", content: "content \($0)") })
    }

    var json: String {
        let entries = items.map { item in
            """
            "\(item.url)":{"version":"\(item.version)","md5":"\(MD5Digest(of: item.bytes))","download":"\(item.key)",
            "ctype":"application/javascript;charset=UTF-8"}
            """
        }
        return #"{"code":200,"data":{"version":"\#(version)","update":true,"resourcemap":{"#
            + entries.joined(separator: ",") + "}}}"
    }

    var data: Data { Data(json.utf8) }

    func table() throws -> URLTable {
        guard case .table(let table) = try TableAnswer(decoding: data) else { throw CocoaError(.coderReadCorrupt) }
        return table
    }
}
