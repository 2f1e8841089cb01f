import Portico

extension DocumentStoreContract {
    static let names = Clause<Store>(
        "DS-5", "names are told apart by bytes, and listed ascending by bytes"
    ) { subject in
        let bench = try await DocumentBench(subject)
        // Canonically equivalent texts, cases, and what a file system or a query would read as something else.
        let names = [
            "caf\u{E9}", "cafe\u{301}", "state", "State", "STATE", ".", "..", ".hidden", " ", "a b", "a ", "%", "%2F",
            "a_b", "a%b", "*", "?", "~", "\\", ":", "'", "\"", "-rf", "nul", "CON", "state.tmp", "state.json",
            "\u{1F3AB}",
            "\u{212B}", "\u{C5}", "\u{2028}", String(repeating: "x", count: 128),
            String(repeating: "\u{1F3AB}", count: 32),
        ]
        let ordered = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        try await bench.open { store in
            try requireEqual(try await store.names(), [], "names in a new storage")
            for (index, name) in names.enumerated() {
                try requireEqual(try await store.read(name), nil, "a document of a new name: \(name)")
                _ = try await store.replace(name, with: [UInt8(index)], if: nil)
            }
            try await checkNames(store, names, ordered)
        }
        try await bench.reopen { store in
            try await checkNames(store, names, ordered)
            try await store.remove(names[1])
            try requireEqual(
                try await store.read(names[0])?.bytes, [0], "a document beside a removed one that looks alike")
            try requireEqual(
                try await store.names().map { Array($0.utf8) }, ordered.filter { $0 != Array(names[1].utf8) },
                "names after a removal")
        }
    }

    private static func checkNames(_ store: Store, _ names: [String], _ ordered: [[UInt8]]) async throws {
        for (index, name) in names.enumerated() {
            try requireEqual(try await store.read(name)?.bytes, [UInt8(index)], "the document \(name)")
        }
        try requireEqual(try await store.names().map { Array($0.utf8) }, ordered, "names as they are listed")
    }

    static let fidelity = Clause<Store>(
        "DS-6", "any bytes come back as they were, the empty ones too, up to 64 MiB"
    ) { subject in
        let bench = try await DocumentBench(subject)
        let contents: [[UInt8]] = [
            [], [0], Array(0...255), Array("\0'; DROP TABLE documents; --\r\n".utf8),
            (0..<(1 << 20) + 1).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) },
        ]
        try await bench.open { store in
            for (index, bytes) in contents.enumerated() {
                _ = try await store.replace("document-\(index)", with: bytes, if: nil)
                try requireEqual(
                    try await store.read("document-\(index)")?.bytes == bytes, true, "\(bytes.count) bytes")
            }
            var large = [UInt8](repeating: 0xA5, count: 64 << 20)
            large[large.count / 2] = 1
            large[large.count - 1] = 2
            _ = try await store.replace("large", with: large, if: nil)
            try requireEqual(try await store.read("large")?.bytes == large, true, "64 MiB come back as they were")
            try await store.remove("large")
        }
        try await bench.reopen { store in
            for (index, bytes) in contents.enumerated() {
                try requireEqual(
                    try await store.read("document-\(index)")?.bytes == bytes, true,
                    "\(bytes.count) bytes after opening again")
            }
        }
    }

    static let refusedNames = Clause<Store>(
        "DS-9", "a name that is empty, too long, or has a control character or `/` fails with invalidName"
    ) { subject in
        let bench = try await DocumentBench(subject)
        let refused = [
            "", String(repeating: "x", count: 129), String(repeating: "\u{1F3AB}", count: 32) + "x", "/", "a/b",
            "../up",
            "/etc/passwd", "a\0", "\n", "a\u{1B}b", "a\u{7F}", "a\u{85}", "\u{9F}",
        ]
        try await bench.open { store in
            for name in refused {
                let what = "of a name of \(name.utf8.count) bytes, \(name.prefix(16).debugDescription)"
                try await requireFailure("read \(what)", isInvalidName) { _ = try await store.read(name) }
                try await requireFailure("revision \(what)", isInvalidName) { _ = try await store.revision(name) }
                try await requireFailure("replace \(what)", isInvalidName) {
                    _ = try await store.replace(name, with: [1], if: nil)
                }
                try await requireFailure("remove \(what)", isInvalidName) { try await store.remove(name) }
            }
            try requireEqual(try await store.names(), [], "names after refused ones")
        }
    }

    private static func isInvalidName(_ error: any Error) -> Bool {
        if case .invalidName = error as? DocumentStoreError { true } else { false }
    }
}
