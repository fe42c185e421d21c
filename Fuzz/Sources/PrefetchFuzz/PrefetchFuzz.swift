// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
@_spi(Facade) @_spi(Fuzzing) internal import Prefetch
internal import ResourceLoading

/// Fuzzes the prefetch table. The input is a page URL, a line end and a table; the table is also parsed as a request
/// body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPrefetch(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    let parts = data.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let page = String(decoding: parts[0], as: UTF8.self)
    let json = parts.count > 1 ? Data(parts[1]) : data
    Fuzz.expect(PrefetchFuzzing.bodiesHold(json), "an invalid canonical form")
    do throws(PrefetchError) {
        _ = try PrefetchCall(json: json)
    } catch {
        Fuzz.expectOneLine(error)
    }
    do throws(PrefetchError) {
        let table = try PrefetchTable(json: json)
        check(table, page)
        check(table, "https://m.example/p?id=163&id=a&%zz=%C3&&=")
    } catch {
        Fuzz.expectOneLine(error, limit: 1_400)
    }
    return 0
}

/// Checks that the requests of a table are valid and within the limits.
private func check(_ table: PrefetchTable, _ page: String) {
    let requests = table.requests(for: page)
    Fuzz.expect(requests.count <= PrefetchLimits.default.maxInterfaces, "\(requests.count) requests")
    var seen: Set<String> = []
    for request in requests {
        let url = request.url
        Fuzz.expect(url.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F && $0 != 0x23 }, "not a URL: \(url)")
        Fuzz.expect(HTTPRequest(urlText: url)?.urlText == url && url.utf8.count <= 8192, "not a URL: \(url)")
        let body = request.body
        if let body {
            let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
            Fuzz.expect(value != nil, "not JSON: \(String(decoding: body, as: UTF8.self))")
        }
        let text = body.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        Fuzz.expect(seen.insert("\(request.method) \(url) \(text)").inserted, "a duplicated request")
    }
}
