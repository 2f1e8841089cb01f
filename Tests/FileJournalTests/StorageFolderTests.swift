import Foundation
import Portico
import PorticoFiles
import PorticoPOSIX
import Testing

@testable import PorticoFileJournal

@Suite("The folder of a storage")
struct StorageFolderTests {
    /// What an earlier process left before a power cut ended it.
    enum Earlier: CaseIterable {
        case nothing
        case folderAbove
        case folder
    }

    private func fileSystem(_ earlier: Earlier) throws -> SimulatedFileSystem {
        let fileSystem = SimulatedFileSystem()
        if earlier != .nothing { _ = try fileSystem.createFolder("/device") }
        if earlier == .folder {
            // It synced what it made in, and came no further.
            try fileSystem.synchronizeFolder("/")
            _ = try fileSystem.createFolder("/device/storage")
        }
        return fileSystem
    }

    private func afterPowerCuts(_ fileSystem: SimulatedFileSystem) -> [SimulatedFileSystem] {
        (1...UInt64(20)).map { seed in
            var generator = Seeded(seed)
            return fileSystem.afterPowerCut(using: &generator)
        }
    }

    @Test("A record that is acknowledged is there after a power cut, with its folder", arguments: Earlier.allCases)
    func journal(earlier: Earlier) async throws {
        let fileSystem = try fileSystem(earlier)
        let store = try await FileJournalEventStore(
            folder: "/device/storage", options: JournalOptions(), fileSystem: fileSystem)
        try await Step.record(1, ticket: 1, isOpen: false, closes: nil).run(on: store)
        for image in afterPowerCuts(fileSystem) {
            let again = try await FileJournalEventStore(
                folder: "/device/storage", options: JournalOptions(), fileSystem: image)
            #expect(try await again.status().pending == 1)
            await again.close()
        }
        await store.close()
    }

    @Test("A document that was replaced is there after a power cut, with its folder", arguments: Earlier.allCases)
    func documents(earlier: Earlier) async throws {
        let fileSystem = try fileSystem(earlier)
        let store = try await FileDocumentStore(folder: "/device/storage", fileSystem: fileSystem)
        _ = try await store.replace("theme", with: [1], if: nil)
        for image in afterPowerCuts(fileSystem) {
            let again = try await FileDocumentStore(folder: "/device/storage", fileSystem: image)
            #expect(try await again.read("theme")?.bytes == [1])
            await again.close()
        }
        await store.close()
    }

    @Test("A folder above that may not be read is no obstacle where the folder is there")
    func unreadableAbove() throws {
        let fileSystem = try fileSystem(.folder)
        fileSystem.fail { _, kind in kind == .synchronizeFolder ? .inputOutput : nil }
        #expect(throws: SystemError.self) { try fileSystem.makeFolder("/device/storage") }
        fileSystem.fail { _, kind in kind == .synchronizeFolder ? .permission : nil }
        try fileSystem.makeFolder("/device/storage")
        #expect(throws: SystemError.self) { try fileSystem.makeFolder("/device/other") }
    }

    @Test("Events and documents may share a folder, and what else is in it stays")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let foreign = folder.path + "/notes.new"
        try Data([1]).write(to: URL(fileURLWithPath: foreign))
        for own in ["checkpoint.pk.new", "journal-00000007.pj.new"] {
            try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/" + own))
        }
        let events = try await FileJournalEventStore(folder: folder.path)
        let documents = try await FileDocumentStore(folder: folder.path)
        #expect(try await documents.replace("theme", with: [1], if: nil) == 1)
        try await Step.record(1, ticket: 1, isOpen: false, closes: nil).run(on: events)
        await events.close()
        let again = try await FileJournalEventStore(folder: folder.path)
        #expect(try await again.status().pending == 1)
        #expect(try await documents.read("theme")?.bytes == [1])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".new") }
        #expect(left == ["notes.new"])
        await again.close()
        await documents.close()
    }
}
