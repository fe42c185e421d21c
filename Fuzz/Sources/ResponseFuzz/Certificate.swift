// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOSSL

/// The certificate of the servers of this target, valid for loopback only. Its key is not secret.
enum Certificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBjTCCATSgAwIBAgIUPg/YoVMv2IohQBnClO3FCm0tHRIwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEZnV6ejAgFw0yNjExMjYxNjE3MTFaGA8yMTI2MTEwMjE2MTcx
        MVowDzENMAsGA1UEAwwEZnV6ejBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHWL
        +kkUKf/3p5N+IJjVXxvFjeeIQFKhbCcf+dFPuy6/eFjFpF0ENqL2wZCxCpB1Zsh5
        sJxMsl9hPBzjy433RsOjbDBqMB0GA1UdDgQWBBR4X4QRPkCxLUt9nF3T9p3xgh0C
        3jAfBgNVHSMEGDAWgBR4X4QRPkCxLUt9nF3T9p3xgh0C3jAaBgNVHREEEzARggls
        b2NhbGhvc3SHBH8AAAEwDAYDVR0TAQH/BAIwADAKBggqhkjOPQQDAgNHADBEAiAt
        IO9YfpUhwM2i1Mf/bxl+tKd3Ycbqec2Oa6WfQ9PaGAIgWWwwDAZrn9RyEptuiws4
        eFUTfAdI8x5yAIoSH6UVIVo=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTZH2VY3ajeteG3xx
        SAMmMjS/zeJCMjrvLSK2Y3CbpwWhRANCAAR1i/pJFCn/96eTfiCY1V8bxY3niEBS
        oWwnH/nRT7suv3hYxaRdBDai9sGQsQqQdWbIebCcTLJfYTwc48uN90bD
        -----END PRIVATE KEY-----
        """

    static func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        configuration.shutdownTimeout = .milliseconds(50)
        return try NIOSSLContext(configuration: configuration)
    }
}
