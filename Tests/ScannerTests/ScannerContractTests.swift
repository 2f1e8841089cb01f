import Portico
import PorticoContracts
import Testing

@Suite("The clauses of CodeScanner find what breaks them")
struct ScannerContractTests {
    @Test("A scanner that breaks a guarantee breaks its clause", .timeLimit(.minutes(1)), arguments: Fault.allCases)
    func broken(fault: Fault) async {
        let subject = Subject(scanner: "faulty", capabilities: FaultyScanner.capabilities) { scene in
            FaultyScanner(scene, fault)
        }
        var broken: Set<String> = []
        for clause in CodeScannerContract.clauses {
            if case .broken = await clause.check(subject) { broken.insert(clause.id) }
        }
        #expect(fault.breaks.isEmpty ? broken.isEmpty : !broken.isDisjoint(with: fault.breaks), "\(broken)")
    }
}

/// Ways to break the contract.
enum Fault: CaseIterable, Sendable {
    case none, merging, reversing, trimming, repeatingAtEnd, ignoringCancellation, goingOnAfterClose, endingAtUnreadable

    var breaks: Set<String> {
        switch self {
        case .none: []
        case .merging, .reversing: ["CS-1"]
        case .trimming: ["CS-2"]
        case .repeatingAtEnd: ["CS-3"]
        case .ignoringCancellation: ["CS-4"]
        case .goingOnAfterClose: ["CS-5"]
        case .endingAtUnreadable: ["CS-6"]
        }
    }
}

/// A scanner over a scene that breaks one guarantee.
private actor FaultyScanner: CodeScanner {
    static let capabilities: Set<Capability> = [.ends, .idle, .anyBytes, .lineBreaks, .unreadable]

    private var items: [ScannerScene.Item]
    private let goesOn: Bool
    private let fault: Fault
    private var last: ScannedCode?
    private var isClosed = false

    init(_ scene: ScannerScene, _ fault: Fault) {
        items = fault == .reversing ? scene.items.reversed() : scene.items
        goesOn = scene.goesOn
        self.fault = fault
    }

    func next() async throws(CodeScannerError) -> ScannedCode? {
        while true {
            if isClosed { return fault == .goingOnAfterClose ? last : nil }
            guard !items.isEmpty else {
                if !goesOn { return fault == .repeatingAtEnd ? last : nil }
                if Task.isCancelled {
                    isClosed = true
                    if fault == .ignoringCancellation { return nil }
                    throw .cancelled
                }
                await Task.yield()
                continue
            }
            switch items.removeFirst() {
            case .unreadable:
                if fault == .endingAtUnreadable { items = [] }
            case .code(var bytes):
                if fault == .trimming, bytes.first == 0x20 { bytes.removeFirst() }
                if fault == .merging, bytes == last?.bytes { continue }
                last = ScannedCode(bytes: bytes)
                return last
            }
        }
    }

    func close() async { isClosed = true }
}
