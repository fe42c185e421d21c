// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A sequence that gives the errors of another one a type of this house.
struct ErrorMapping<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
    let base: Base
    let transform: @Sendable (any Error) -> any Error

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), transform: transform)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let transform: @Sendable (any Error) -> any Error

        mutating func next() async throws -> Base.Element? {
            do {
                return try await base.next()
            } catch {
                throw transform(error)
            }
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Base.Element? {
            do {
                return try await base.next(isolation: actor)
            } catch {
                throw transform(error)
            }
        }
    }
}
