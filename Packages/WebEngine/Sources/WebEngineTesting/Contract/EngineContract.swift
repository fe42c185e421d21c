// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// Checks of the documented behavior of ``WebEngineDriver``, and of the protocols that it names, for any engine.
///
/// An ``EngineContractSite`` creates the engine under test and performs the actions of its pages. Each check needs a
/// new site:
///
/// ```swift
/// for check in EngineContract.checks { try await check.run(at: MySite()) }
/// ```
public enum EngineContract {
    /// All checks.
    public static let checks =
        registrationChecks + schemeTaskChecks + loadChecks + documentChecks + scriptChecks + messageChecks
        + cookieChecks + viewChecks + promptChecks

    /// The result of a check that did not fail.
    public enum Outcome: Sendable, Hashable {
        /// The engine behaves as documented.
        case passed
        /// The check did not run, because the site lacks an ability.
        case skipped(reason: String)
    }

    /// The time limit of one check.
    public static let limit = Duration.seconds(40)
}

/// A check of one requirement on an engine.
public struct EngineContractCheck: Sendable, CustomStringConvertible {
    /// The name of the check, unique in ``EngineContract/checks``.
    public let name: String
    /// The symbol whose documentation states the requirement.
    public let symbol: String
    /// The abilities that the check needs.
    public let needs: Set<EngineContractAbility>
    private let body: @MainActor @Sendable (ContractRun) async throws -> Void

    init(
        _ name: String, of symbol: String, needs: Set<EngineContractAbility> = [],
        _ body: @escaping @MainActor @Sendable (ContractRun) async throws -> Void
    ) {
        (self.name, self.symbol, self.needs, self.body) = (name, symbol, needs, body)
    }

    /// The name.
    public var description: String { name }

    /// Runs the check with a new engine of the site.
    /// - Throws: ``EngineContractFailure``.
    @MainActor
    public func run(at site: any EngineContractSite) async throws -> EngineContract.Outcome {
        for need in needs.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let reason = site.missingAbilities[need] { return .skipped(reason: reason) }
        }
        let run: ContractRun
        do {
            run = ContractRun(of: self, at: site, try site.makeEngine())
        } catch {
            throw failure("an engine", seen: "\(error)")
        }
        do {
            try await withLimit(EngineContract.limit) { [body] in try await body(run) }
            return .passed
        } catch let failure as EngineContractFailure {
            throw failure
        } catch let error as EngineError where error.code == .timedOut {
            throw failure(run.awaited ?? "an end of the check", seen: "nothing within \(EngineContract.limit)")
        } catch {
            throw failure("no error", seen: "\(error)")
        }
    }

    func failure(_ expected: String, seen: String) -> EngineContractFailure {
        EngineContractFailure(check: name, symbol: symbol, expected: expected, seen: seen)
    }
}

/// A requirement that an engine does not meet.
public struct EngineContractFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the check.
    public let check: String
    /// The symbol whose documentation states the requirement.
    public let symbol: String
    /// The expected value or event.
    public let expected: String
    /// The value or event in its place.
    public let seen: String

    /// All parts, in one line.
    public var description: String {
        "\(check) (\(symbol)): expected \(expected), seen \(seen)".split(whereSeparator: \.isNewline)
            .joined(separator: " ")
    }
}
