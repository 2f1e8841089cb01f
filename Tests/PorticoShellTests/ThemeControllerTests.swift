import Portico
import PorticoInMemory
import Testing

@testable import PorticoShell

@MainActor @Suite("A theme's controller")
struct ThemeControllerTests {
    @Test("Nobody chose: the system decides")
    func system() async {
        let themes = ThemeController(InMemoryThemeStore())
        #expect(themes.state == ThemeState(preference: .system, storage: .notLoaded))
        await themes.load()
        #expect(themes.state == ThemeState(preference: .system, storage: .stored))
        #expect(themes.appearance(systemIsDark: true).isDark)
        #expect(!themes.appearance(systemIsDark: false).isDark)
    }

    @Test("A choice holds at once, is stored, and is there after a restart")
    func restart() async throws {
        let documents = InMemoryDocumentStore.Storage()
        for (preference, name) in [(ThemePreference.dark, "dark"), (.light, "light"), (.system, "system")] {
            let themes = ThemeController(DocumentThemeStore(InMemoryDocumentStore(documents)))
            switch preference {
            case .light: themes.setLight()
            case .dark: themes.setDark()
            case .system: themes.setSystem()
            }
            #expect(themes.preference == preference)
            #expect(themes.state.storage == .saving)
            try await themes.saved()
            #expect(themes.state.storage == .stored)
            await themes.close()
            let next = ThemeController(DocumentThemeStore(InMemoryDocumentStore(documents)))
            await next.load()
            #expect(next.state == ThemeState(preference: preference, storage: .stored))
            let document = try await InMemoryDocumentStore(documents).read("theme")
            #expect(document?.bytes == Array(name.utf8))
        }
    }

    @Test("Light and dark are what they say, whatever the system is; contrast is the system's")
    func appearance() {
        for isDark in [false, true] {
            #expect(!ThemePreference.light.isDark(systemIsDark: isDark))
            #expect(ThemePreference.dark.isDark(systemIsDark: isDark))
            #expect(ThemePreference.system.isDark(systemIsDark: isDark) == isDark)
        }
        let themes = ThemeController(InMemoryThemeStore())
        themes.setDark()
        #expect(
            themes.appearance(systemIsDark: false, hasIncreasedContrast: true)
                == Appearance(isDark: true, hasIncreasedContrast: true))
    }

    @Test("A name of another version counts as system, and is overwritten by a choice alone")
    func newer() async throws {
        for name in ["sepia", "Dark", "dark2"] {
            let store = InMemoryThemeStore(InMemoryThemeStore.Storage(name))
            let themes = ThemeController(store)
            await themes.load()
            #expect(themes.state == ThemeState(preference: .system, storage: .unknown(name)))
            await themes.close()
            #expect(try await store.load() == name)
            let next = ThemeController(store)
            await next.load()
            next.setSystem()
            try await next.saved()
            #expect(try await store.load() == "system")
        }
    }

    @Test("Damage counts as system, and is overwritten by a choice alone")
    func damage() async throws {
        for bytes in [[], [0xFF], Array(repeating: 0x78, count: 65), Array("dark\n".utf8)] as [[UInt8]] {
            let documents = InMemoryDocumentStore()
            _ = try await documents.replace("theme", with: bytes, if: nil)
            let themes = ThemeController(DocumentThemeStore(documents))
            await themes.load()
            #expect(themes.preference == .system)
            guard case .unreadable(.corrupt) = themes.state.storage else {
                Issue.record("\(themes.state.storage)")
                continue
            }
            #expect(try await documents.read("theme")?.bytes == bytes)
            themes.setDark()
            try await themes.saved()
            #expect(try await documents.read("theme")?.bytes == Array("dark".utf8))
        }
    }

    @Test("A store that fails is told, the choice holds for this run, and the same choice again tries again")
    func failure() async throws {
        let store = FaultyThemeStore(InMemoryThemeStore())
        store.plan(.before(.full), for: .save, call: 1)
        let themes = ThemeController(store)
        await themes.load()
        themes.setDark()
        await #expect(throws: DocumentStoreError.full) { try await themes.saved() }
        #expect(themes.state == ThemeState(preference: .dark, storage: .notSaved(.full)))
        // What is read holds nothing against a choice that is not stored.
        await themes.load()
        #expect(themes.preference == .dark)
        themes.setDark()
        try await themes.saved()
        #expect(themes.state.storage == .stored)
        #expect(try await store.load() == "dark")
    }

    @Test("A store that cannot be read now takes no choice back")
    func unreadable() async throws {
        let store = FaultyThemeStore(InMemoryThemeStore(InMemoryThemeStore.Storage("dark")))
        store.plan(.before(.failed("locked")), for: .load, call: 1)
        store.plan(.before(.failed("locked")), for: .load, call: 3)
        let themes = ThemeController(store)
        await themes.load()
        #expect(themes.state == ThemeState(preference: .system, storage: .unreadable(.failed("locked"))))
        await themes.load()
        #expect(themes.state == ThemeState(preference: .dark, storage: .stored))
        await themes.load()
        #expect(themes.state == ThemeState(preference: .dark, storage: .unreadable(.failed("locked"))))
    }

    @Test("A choice that is made while the stored one is read holds")
    func choiceWhileLoading() async throws {
        let (reading, begins) = AsyncStream.makeStream(of: Void.self)
        let (go, goes) = AsyncStream.makeStream(of: Void.self)
        let store = SlowThemeStore(InMemoryThemeStore(InMemoryThemeStore.Storage("light"))) {
            begins.finish()
            for await _ in go {}
        }
        let themes = ThemeController(store)
        let load = Task { await themes.load() }
        for await _ in reading {}
        themes.setDark()
        try await themes.saved()
        goes.finish()
        await load.value
        #expect(themes.state == ThemeState(preference: .dark, storage: .stored))
    }

    @Test("Of choices that follow on each other the last is stored, and the stream's last state is the last")
    func coalescing() async throws {
        let store = FaultyThemeStore(InMemoryThemeStore())
        let themes = ThemeController(store)
        for _ in 0..<50 {
            themes.setLight()
            themes.setDark()
        }
        themes.setLight()
        try await themes.saved()
        #expect(try await store.load() == "light")
        #expect(store.calls(of: .save) <= 2)
    }

    @Test("A choice counts as stored only when it is itself stored, not one before it")
    func storedItself() async throws {
        let store = FaultyThemeStore(InMemoryThemeStore())
        var gates: [AsyncStream<Void>.Continuation] = []
        var begun: [AsyncStream<Void>] = []
        for call in 1...2 {
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let (opens, open) = AsyncStream.makeStream(of: Void.self)
            store.plan(
                .waiting {
                    begin.finish()
                    for await _ in opens {}
                }, for: .save, call: call)
            gates.append(open)
            begun.append(begins)
        }
        let themes = ThemeController(store)
        themes.setLight()
        for await _ in begun[0] {}
        themes.setDark()
        gates[0].finish()
        for await _ in begun[1] {}
        #expect(try await store.load() == "light")
        #expect(themes.state == ThemeState(preference: .dark, storage: .saving))
        gates[1].finish()
        try await themes.saved()
        #expect(themes.state.storage == .stored)
    }

    @Test("Several consumers see the present state first and the last in any case; closing ends them")
    func streams() async throws {
        let themes = ThemeController(InMemoryThemeStore())
        var first = themes.states.makeAsyncIterator()
        var second = themes.states.makeAsyncIterator()
        #expect(await first.next()?.storage == .notLoaded)
        await themes.load()
        themes.setLight()
        themes.setDark()
        try await themes.saved()
        let last = ThemeState(preference: .dark, storage: .stored)
        #expect(await first.next() == last)
        // The second never read: of all that came the newest waits for it.
        #expect(await second.next() == last)
        themes.setLight()
        await themes.close()
        await themes.close()
        #expect(await first.next() == ThemeState(preference: .light, storage: .stored))
        #expect(await first.next() == nil)
        themes.setDark()
        #expect(themes.preference == .light)
        var late = themes.states.makeAsyncIterator()
        #expect(await late.next()?.preference == .light)
        #expect(await late.next() == nil)
    }
}

/// A store whose answer is on its way for a while: what it says was true when it was asked.
private struct SlowThemeStore: ThemeStore {
    let store: any ThemeStore
    let way: @Sendable () async -> Void

    init(_ store: any ThemeStore, way: @escaping @Sendable () async -> Void) {
        self.store = store
        self.way = way
    }

    func load() async throws(DocumentStoreError) -> String? {
        let name = try await store.load()
        await way()
        return name
    }

    func save(_ name: String) async throws(DocumentStoreError) { try await store.save(name) }
}
