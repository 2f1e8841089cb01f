import Foundation
import Portico
import PorticoContracts
import PorticoFoundation
import PorticoInMemory

extension Subjects {
    /// Every theme store of this package, and over documents the standard one in each document store of this build.
    public static func themeStores() -> [Subject<any ThemeStore>] {
        inMemory + defaults
            + documentStores().map { documents in
                Subject(name: "DocumentThemeStore over \(documents.name)", capabilities: [.durable]) {
                    let open = try await documents.fresh()
                    return { DocumentThemeStore(try await open()) }
                }
            }
    }

    private static var inMemory: [Subject<any ThemeStore>] {
        [
            Subject(name: "InMemoryThemeStore", capabilities: [.durable]) {
                let storage = InMemoryThemeStore.Storage()
                return { InMemoryThemeStore(storage) }
            },
            Subject(name: "FaultyThemeStore", capabilities: [.durable]) {
                let storage = InMemoryThemeStore.Storage()
                return { FaultyThemeStore(InMemoryThemeStore(storage)) }
            },
        ]
    }

    private static var defaults: [Subject<any ThemeStore>] {
        [
            Subject(name: "UserDefaultsThemeStore", capabilities: [.durable]) {
                let suite = TemporarySuite()
                return { try UserDefaultsThemeStore(suite: suite.name) }
            }
        ]
    }
}

/// A suite of UserDefaults of its own, removed when the last reference to it goes.
private final class TemporarySuite: Sendable {
    let name = "portico-\(UUID().uuidString)"

    deinit {
        let defaults = UserDefaults(suiteName: name)
        defaults?.removePersistentDomain(forName: name)
        // Without it a later flush of the process may bring the file back.
        defaults?.synchronize()
    }
}
