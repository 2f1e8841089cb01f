import Foundation
import Portico
import PorticoContracts
import PorticoPOSIX
import Testing

@testable import PorticoFiles

@Suite("Documents in files")
struct FileDocumentStoreTests {
    static let subjects: [Subject<any DocumentStore>] = [
        Subject(name: "FileDocumentStore", capabilities: [.durable, .shared, .closable]) {
            let folder = try TemporaryFolder()
            return { try await FileDocumentStore(folder: folder.path) }
        },
        Subject(name: "FileDocumentStore, simulated", capabilities: [.durable, .shared, .closable]) {
            let fileSystem = SimulatedFileSystem()
            return { try await FileDocumentStore(folder: "/documents", fileSystem: fileSystem) }
        },
    ]

    @Test("Every clause holds", arguments: subjects, DocumentStoreContract.clauses)
    func clause(subject: Subject<any DocumentStore>, clause: Clause<any DocumentStore>) async {
        let result = await clause.check(subject)
        #expect(result == .kept)
    }

    private let old: [UInt8] = Array("the old one, of some length".utf8)
    private let new: [UInt8] = Array("the new one".utf8)

    /// A folder with one document, opened.
    private func written() async throws -> (SimulatedFileSystem, FileDocumentStore) {
        let fileSystem = SimulatedFileSystem()
        let store = try await FileDocumentStore(folder: "/documents", fileSystem: fileSystem)
        _ = try await store.replace("Gate é", with: old, if: nil)
        return (fileSystem, store)
    }

    private func file(in fileSystem: SimulatedFileSystem) throws -> String {
        try #require(fileSystem.paths().first { $0.hasSuffix(".document") })
    }

    @Test(
        "A fault at any operation of a replacement leaves the old or the new, and it works again",
        arguments: SimulatedFileSystem.Fault.allCases)
    func faults(fault: SimulatedFileSystem.Fault) async throws {
        var failures = 0
        for number in 1...14 {
            let (fileSystem, store) = try await written()
            fileSystem.fail { count, _ in count == number ? fault : nil }
            var hasFailed = false
            do throws(DocumentStoreError) {
                _ = try await store.replace("Gate é", with: new, if: 1)
            } catch {
                hasFailed = true
                failures += 1
            }
            fileSystem.fail(nil)
            var generator = Seeded(UInt64(number))
            let now = try #require(try await store.read("Gate é"))
            #expect(now == Document(bytes: new, revision: 2) || hasFailed && now == Document(bytes: old, revision: 1))
            for image in [fileSystem.killed(), fileSystem.afterPowerCut(using: &generator)] {
                let again = try await FileDocumentStore(folder: "/documents", fileSystem: image)
                let found = try #require(try await again.read("Gate é"))
                #expect(found == now || hasFailed && found.bytes == old, "\(fault) at \(number)")
                await again.close()
            }
            let revision = try await store.replace("Gate é", with: new + new, if: now.revision)
            #expect(revision > now.revision)
            await store.close()
        }
        #expect(failures > 5)
    }

    @Test("The disk cut off at every sync of a replacement has the old or the new, whole")
    func powerCut() async throws {
        for seed in 1...UInt64(40) {
            let (fileSystem, store) = try await written()
            let images = Collected<SimulatedFileSystem>()
            fileSystem.observeSyncs {
                var generator = Seeded(seed &+ UInt64(1_000 * images.values.count))
                images.append(fileSystem.afterPowerCut(using: &generator))
            }
            _ = try await store.replace("Gate é", with: new, if: 1)
            fileSystem.observeSyncs(nil)
            var generator = Seeded(seed)
            let acknowledged = fileSystem.afterPowerCut(using: &generator)
            #expect(images.values.count == 2)
            for image in images.values + [acknowledged] {
                let again = try await FileDocumentStore(folder: "/documents", fileSystem: image)
                let found = try #require(try await again.read("Gate é"))
                #expect([old, new].contains(found.bytes))
                if image === acknowledged { #expect(found == Document(bytes: new, revision: 2)) }
                await again.close()
            }
            await store.close()
        }
    }

    @Test("A file that is damaged at any byte, or cut, is corrupt and never absent")
    func damaged() async throws {
        let (fileSystem, store) = try await written()
        let path = try file(in: fileSystem)
        let good = try #require(fileSystem.contents(path))
        for offset in good.indices {
            for bytes in [Array(good[..<offset]), good[..<offset] + [good[offset] ^ 2] + good[(offset + 1)...]] {
                fileSystem.replace(path, with: bytes)
                do throws(DocumentStoreError) {
                    let found = try await store.read("Gate é")
                    Issue.record("read \(String(describing: found)) with damage at \(offset)")
                } catch {
                    switch error {
                    // A bit of the version may turn into a later one.
                    case .corrupt, .failed: break
                    default: Issue.record("\(error) with damage at \(offset)")
                    }
                }
            }
        }
        fileSystem.replace(path, with: good)
        #expect(try await store.read("Gate é")?.bytes == old)
        await store.close()
    }

    @Test("Revisions go on after a removal, also after the next opening")
    func revisionsRise() async throws {
        let (fileSystem, store) = try await written()
        #expect(try await store.replace("Gate é", with: new, if: 1) == 2)
        try await store.remove("Gate é")
        #expect(try await store.read("Gate é") == nil)
        #expect(try await store.names() == [])
        await store.close()
        let again = try await FileDocumentStore(folder: "/documents", fileSystem: fileSystem.killed())
        await #expect(throws: DocumentStoreError.changed(nil)) { try await again.replace("Gate é", with: old, if: 2) }
        #expect(try await again.replace("Gate é", with: old, if: nil) == 3)
        await again.close()
    }

    @Test("Names become files that no file system takes for each other or finds too long")
    func fileNames() {
        let longest = String(repeating: "é", count: 64)
        let names = ["configuration", "Configuration", "a.b", ".", "..", "é", "e\u{301}", "%41", "A", "=a", longest]
        let files = names.map(DocumentName.file)
        #expect(Set(files.map { $0.lowercased() }).count == names.count)
        #expect(files.allSatisfy { $0.utf8.count <= 250 && !$0.contains("/") && !$0.hasPrefix(".") })
        #expect(DocumentName.file("configuration") == "configuration.document")
        #expect(DocumentName.file("A.b") == "%41%2eb.document")
        // RFC 4648 §10, in lower case and without padding.
        let foobar = String(repeating: "foobar", count: 21)
        #expect(DocumentName.file(foobar.uppercased()).hasPrefix("=izhu6qsbkjd"))
    }

    @Test("Two processes that replace at once: each revision is given once")
    func twoProcesses() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            try await FileDocumentStoreTests.count(to: 40, in: path)
        }
        async let one: Void = Self.count(to: 80, in: folder.path)
        async let two: Void = Self.count(to: 80, in: folder.path)
        _ = try await (one, two)
        let store = try await FileDocumentStore(folder: folder.path)
        let document = try #require(try await store.read("count"))
        #expect(document == Document(bytes: Array("200".utf8), revision: 200))
        await store.close()
    }

    /// Adds one to a number in a document, so many times.
    private static func count(to goal: Int, in folder: String) async throws {
        let store = try await FileDocumentStore(folder: folder)
        var done = 0
        while done < goal {
            let document = try await store.read("count")
            let number = document.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
            do throws(DocumentStoreError) {
                _ = try await store.replace("count", with: Array("\(number + 1)".utf8), if: document?.revision)
                done += 1
            } catch {
                guard case .changed = error else { throw error }
            }
        }
        await store.close()
    }

    @Test("Folder and files are for this user alone")
    func permissions() async throws {
        let parent = try TemporaryFolder()
        let folder = parent.path + "/documents"
        let store = try await FileDocumentStore(folder: folder)
        _ = try await store.replace("a", with: [1], if: nil)
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try permissions(folder) == 0o700)
        #expect(try permissions(folder + "/a.document") == 0o600)
        await store.close()
    }
}
