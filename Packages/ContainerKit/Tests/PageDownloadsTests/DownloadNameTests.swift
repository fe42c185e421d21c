// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import PageDownloads

/// File names from servers and pages.
@Suite("Names of downloads")
struct DownloadNameTests {
    @Test(
        "File names are safe",
        arguments: [
            ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("..\\x\\y.exe", "y.exe"), ("/", "download"),
            ("", "download"), ("...", "download"), (".bashrc", "bashrc"), (" . a . ", "a"), ("a\r\n\u{0}b", "ab"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a:b|c?d*e\"f<g>h", "a_b_c_d_e_f_g_h"), ("ü.pdf", "ü.pdf"),
            ("/\u{200D}../\u{200D}../\u{200C}etc/\u{200D}x.desktop", "x.desktop"), (".\u{200D}bashrc", "bashrc"),
            ("a/\u{301}b", "\u{301}b"), ("a\\\u{301}b", "\u{301}b"), (".\u{301}bashrc", "\u{301}bashrc"),
            ("a/\u{E0020}..\u{E0020}/\u{E007F}..", "download"),
            (".containerkit-x.part", "containerkit-x.part"), ("\u{FEFF}\u{200B}.x", "x"),
        ])
    func names(suggested: String, safe: String) {
        let name = SafeFileName.make(suggested)
        #expect(name == safe && !name.utf8.contains(UInt8(ascii: "/")) && name.utf8.first != UInt8(ascii: "."))
    }

    @Test("Long file names are truncated and keep their extension")
    func longNames() {
        let long = SafeFileName.make(String(repeating: "ü", count: 3_000) + ".tar.gz")
        #expect(long.utf8.count <= 200 && long.hasSuffix("ü.gz"))
        #expect(SafeFileName.make(String(repeating: "x", count: 3_000)).utf8.count == 200)
        #expect(SafeFileName.make("a." + String(repeating: "x", count: 3_000)).utf8.count == 200)
        #expect(SafeFileName.make(nil) == "download")
        #expect(SafeFileName.numbered("a.zip", 2) == "a (2).zip")
        #expect(SafeFileName.numbered("a", 2) == "a (2)")
    }

    @Test(
        "Content-Disposition is parsed",
        arguments: [
            ("attachment", true, nil), ("inline; filename=a", false, "a"),
            ("ATTACHMENT ;FileName = \"a;b\\\"c\" ; x=y", true, "a;b\"c"),
            ("attachment; filename=x; filename*=UTF-8''%e2%82%ac.txt", true, "€.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3.txt; filename=x", true, "£.txt"),
            ("attachment; filename*=UTF-8''%ff; filename=x", true, "x"), ("attachment; filename*=UTF-8''%e", true, nil),
            ("", false, nil), ("attachment; filename=\"", true, "\""), (";;;=;filename", false, nil),
        ] as [(String, Bool, String?)])
    func dispositions(field: String, isAttachment: Bool, name: String?) {
        let read = ContentDisposition(field)
        #expect(read.isAttachment == isAttachment)
        #expect(read.fileName == name)
        #expect(ContentDisposition(field + String(repeating: " ", count: 9_000)) == ContentDisposition(nil))
    }
}
