import Foundation
import Portico
import PorticoFoundation
import PorticoInMemory
import Testing

@Suite("Theme stores")
struct ThemeStoreTests {
    @Test("A document that always changes ends the call, one that changes now and then does not")
    func changes() async throws {
        let documents = FaultyDocumentStore(InMemoryDocumentStore())
        let store = DocumentThemeStore(documents)
        for call in 1...5 { documents.plan(.before(.changed(7)), for: .replace, call: call) }
        try await store.save("dark")
        #expect(documents.calls(of: .replace) == 6)
        documents.plan(.before(.changed(7)), for: .replace)
        let error = await #expect(throws: DocumentStoreError.self) { try await store.save("light") }
        #expect(error?.description.contains("100 times") == true)
        #expect(try await store.load() == "dark")
    }

    @Test("A document that is no name is corrupt, and not nothing")
    func corrupt() async throws {
        for bytes in [[], [0xFF, 0xFE], [0x20], Array(repeating: 0x78, count: 1_000_000)] as [[UInt8]] {
            let documents = InMemoryDocumentStore()
            _ = try await documents.replace("theme", with: bytes, if: nil)
            let error = await #expect(throws: DocumentStoreError.self) {
                try await DocumentThemeStore(documents).load()
            }
            guard case .corrupt(let detail) = error else {
                Issue.record("\(error.debugDescription)")
                continue
            }
            #expect(detail.contains("\(bytes.count) bytes"))
        }
    }

    @Test("What the documents say is passed on")
    func errors() async throws {
        let documents = FaultyDocumentStore(InMemoryDocumentStore())
        let store = DocumentThemeStore(documents)
        documents.plan(.before(.readOnly), for: .replace)
        await #expect(throws: DocumentStoreError.readOnly) { try await store.save("dark") }
        documents.plan(.before(.closed), for: .read)
        await #expect(throws: DocumentStoreError.closed) { try await store.load() }
    }

    @Test("A value of the defaults that is no name is corrupt, and a suite without a name refused")
    func defaults() async throws {
        let suite = "portico-test-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        let store = try UserDefaultsThemeStore(suite: suite, key: "look")
        try await store.save("dark")
        #expect(UserDefaults(suiteName: suite)?.string(forKey: "look") == "dark")
        for value in [7, "", "dark\n", ["dark"], Data([1])] as [Any] {
            defaults.set(value, forKey: "look")
            let error = await #expect(throws: DocumentStoreError.self) { try await store.load() }
            guard case .corrupt = error else {
                Issue.record("\(error.debugDescription)")
                continue
            }
        }
        try await store.save("light")
        #expect(try await store.load() == "light")
        for suite in ["", "../elsewhere"] {
            #expect(throws: DocumentStoreError.self) { try UserDefaultsThemeStore(suite: suite) }
        }
    }
}
