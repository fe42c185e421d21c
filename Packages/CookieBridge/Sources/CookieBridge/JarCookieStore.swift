// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

/// An adapter that makes a jar a store of the reconciler.
struct JarCookieStore: CookieStoring {
    let jar: CookieStore

    var representation: CookieRepresentation { .whole }

    func snapshot() async throws -> [Cookie] {
        jar.cookies
    }

    func set(_ cookie: Cookie) async throws {
        do throws(CookieRefusal) {
            try jar.insert(cookie)
        } catch {
            throw CookieRejection(error.description)
        }
    }

    func remove(_ identity: Cookie.Identity) async throws {
        jar.remove(identity)
    }

    func clear(_ scope: CookieScope) async throws {
        jar.clear(scope)
    }

    func changes() async -> AsyncStream<Void> {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observation = jar.observe { _ in signal.yield() }
        signal.onTermination = { _ in observation.cancel() }
        return stream
    }
}

extension CookieStore {
    /// Removes the cookies that belong to a scope.
    func clear(_ scope: CookieScope) {
        switch scope {
        case .all: removeAll()
        case .domains(let domains):
            for domain in domains { removeCookies(ofSite: domain) }
        }
    }
}
