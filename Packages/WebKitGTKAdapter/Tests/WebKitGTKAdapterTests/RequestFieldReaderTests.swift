// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import CWebKitGTK
    import HTTPTypes
    import Testing

    @testable import WebKitGTKAdapter

    @Suite("Header fields of requests")
    struct RequestFieldReaderTests {
        /// The engine's list gives its own names before those of others.
        private func read(_ fields: [(String, String)], by reader: inout RequestFieldReader) -> [String] {
            let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_REQUEST)
            defer { soup_message_headers_unref(headers) }
            for (name, value) in fields { soup_message_headers_append(headers, name, value) }
            return headers.map { reader.read($0) }?.map { "\($0.name.rawName): \($0.value)" } ?? []
        }

        @Test("A field that comes again is what it was, and one that has changed is what it has become")
        func again() {
            var reader = RequestFieldReader()
            for agent in ["one", "one", "two", "one"] {
                for type in ["*/*", "image/png", "*/*"] {
                    let fields = [
                        ("User-Agent", agent), ("Accept", type), ("Referer", "containerkit://a/"), ("X-Own", agent),
                    ]
                    #expect(read(fields, by: &reader) == fields.map { "\($0): \($1)" })
                }
            }
        }

        @Test("Whatever names and values there are, each is read as it stands")
        func many() {
            var reader = RequestFieldReader()
            let long = String(repeating: "x", count: 5_000)
            for number in 0..<40 {
                let fields = [("Accept", "text/\(number)"), ("Origin", long), ("X-\(number)", "own")]
                let isRead = read(fields, by: &reader) == fields.map { "\($0): \($1)" }
                #expect(isRead, "the fields of request \(number)")
            }
            let twice = read([("Accept", "text/0"), ("accept", "text/0"), ("Accept", "text/1")], by: &reader)
            #expect(twice == ["Accept: text/0", "Accept: text/0", "Accept: text/1"])
        }
    }
#endif
